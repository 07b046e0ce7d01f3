// Helpers for the page's elements. Foreign text becomes text nodes, never markup.
import { sentence } from './verdicts.ts'

/** More than this of a text is not shown, if it is not to be shown whole. */
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
 * @param how `lines` keeps line breaks and tabs as they are; `whole` shows all of a long text (default: neither)
 */
export function show(target: Element, text: string, how: { lines?: boolean; whole?: boolean } = {}): void {
  const { lines = false, whole = false } = how
  const shown = whole ? text : text.slice(0, SHOWN)
  const parts: (string | Element)[] = []
  let end = 0
  for (const { 0: character, index } of shown.matchAll(INVISIBLE)) {
    if (lines && (character === '\n' || character === '\t')) continue
    parts.push(shown.slice(end, index), label('escape', codePoint(character)))
    end = index + character.length
  }
  parts.push(shown.slice(end))
  const more = text.length - shown.length
  if (more > 0) parts.push(label('escape', `… and ${more.toLocaleString('en')} more`))
  target.replaceChildren(...parts)
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
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
  await shown()
  try {
    await work()
  } catch (error) {
    show(problem, sentence(error))
  } finally {
    button.ariaBusy = null
  }
}

/** Resolves when the browser has shown what has changed, so that what takes long does not come before. */
export function shown(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => void setTimeout(resolve)
    requestAnimationFrame(done)
    setTimeout(done, 100) // a tab in the background has no frames
  })
}

/** Has screen readers say something. */
export function announce(text: string): void {
  element('announcer', HTMLElement).textContent = text
}

/**
 * Makes a button copy a text and say so. What it says takes the place of its name, which keeps its room: no button moves
 * under the pointer.
 */
export function copies(id: string, text: () => string): void {
  const button = element(id, HTMLButtonElement)
  const answer = label('answer', 'Copied')
  button.replaceChildren(label('name', button.textContent), answer)
  button.classList.add('copy')
  const byHand = copyOf('by-hand')
  let timer: number | undefined
  const say = (isCopied: boolean): void => {
    button.dataset['copied'] = String(isCopied)
    announce(isCopied ? 'Copied' : '')
  }
  say(false)
  const copy = async (): Promise<void> => {
    const copied = text()
    const isCopied = await toClipboard(copied)
    byHand.remove()
    say(isCopied)
    clearTimeout(timer)
    timer = window.setTimeout(() => say(false), 2000)
    if (isCopied) return
    button.parentElement?.after(byHand)
    const field = within(byHand, 'textarea', HTMLTextAreaElement)
    field.value = copied
    field.focus()
    field.select()
  }
  button.addEventListener('click', () => void copy())
}

/** Whether the browser has taken a text. It may not be allowed, and where the address is not secure there is no way. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
