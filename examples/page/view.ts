// Helpers for the page's elements. Foreign text becomes text nodes, never markup.
import { sentence } from './verdicts.ts'

/** More than this of a text is not shown. */
const SHOWN = 100_000

/** Characters without a shape of their own, some of which change how others are read: controls, bidi, zero width. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** An element of index.html. */
export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`The page has no such element: ${id}`)
  return found
}

/** A descendant of an element that is there by the way the page is written. */
export function within<T extends Element>(parent: ParentNode, selector: string, type: new () => T): T {
  const found = parent.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`The page has no such element: ${selector}`)
  return found
}

/** A copy of a template's only element. */
export function copyOf(id: string): HTMLElement {
  const copy = element(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true)
  if (!(copy instanceof HTMLElement)) throw new Error(`The template is empty: ${id}`)
  return copy
}

/**
 * Shows a text of unknown origin, with its invisible characters made visible.
 *
 * @param lines whether it may have lines of its own
 */
export function show(target: Element, text: string, { lines = false }: { lines?: boolean } = {}): void {
  const shown = text.slice(0, SHOWN)
  const parts: (string | Element)[] = []
  let end = 0
  for (const { 0: character, index } of shown.matchAll(INVISIBLE)) {
    if (lines && (character === '\n' || character === '\t')) continue
    parts.push(shown.slice(end, index), label('escape', codePoint(character)))
    end = index + character.length
  }
  parts.push(shown.slice(end))
  if (text.length > SHOWN) parts.push(label('escape', `… and ${(text.length - SHOWN).toLocaleString('en')} more`))
  target.replaceChildren(...parts)
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Shows a fingerprint in groups, which are easier to compare; copied, it is whole. */
export function showFingerprint(target: Element, keyId: string): void {
  const groups = keyId.match(/.{1,4}/g) ?? []
  target.replaceChildren(...groups.map((group) => label('group', group)))
}

function label(className: string, text: string): HTMLElement {
  const span = document.createElement('span')
  span.className = className
  span.textContent = text
  return span
}

/** Runs `work` when a form is sent; what fails is told in `problem`. */
export function onSubmit(form: HTMLFormElement, problem: HTMLElement, work: () => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(within(form, 'button:not([type])', HTMLButtonElement), problem, work)
  })
}

/** Runs `work` when a button is pressed; what fails is told in `problem`. */
export function onPress(button: HTMLButtonElement, problem: HTMLElement, work: () => void | Promise<void>): void {
  button.addEventListener('click', () => void attempt(button, problem, async () => work()))
}

async function attempt(button: HTMLButtonElement, problem: HTMLElement, work: () => Promise<void>): Promise<void> {
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  problem.replaceChildren()
  await new Promise((resolve) => setTimeout(resolve)) // lets the browser show that it works
  try {
    await work()
  } catch (error) {
    show(problem, sentence(error))
  } finally {
    button.ariaBusy = null
  }
}

/** Makes a button copy a text and say so. */
export function copies(id: string, text: () => string): void {
  const button = element(id, HTMLButtonElement)
  const name = button.textContent
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text()).then(
      () => tell('Copied'),
      () => tell('The browser does not allow it'),
    )
  })
  let timer: number | undefined
  const tell = (answer: string): void => {
    button.textContent = answer
    element('announcer', HTMLElement).textContent = answer
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      button.textContent = name
      element('announcer', HTMLElement).textContent = ''
    }, 2000)
  }
}
