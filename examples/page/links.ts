// Links that hold an agent document: whoever opens one is asked whether it is the agent that they mean.

const NAME = '#agent='

/** An address of this page with an agent document behind the `#`, which browsers send to no server. */
export function linkTo(agent: string): string {
  const bytes = new TextEncoder().encode(agent)
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const { origin, pathname } = location
  return `${origin}${pathname}${NAME}${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/**
 * Takes the agent document out of the address of this page, so that a reload does not ask again.
 *
 * @returns what the link holds, whatever that is; `undefined` where it holds nothing
 */
export function takeLinked(): string | undefined {
  const { hash } = location
  if (!hash.startsWith(NAME)) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  const text = hash.slice(NAME.length).replaceAll('-', '+').replaceAll('_', '/')
  if (text === '') return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return text // no Base64: what is wrong with it is said where agent documents are read
  }
}

/** Whether a document is one that an agent has exported. */
export function isAgentDocument(text: string): boolean {
  try {
    return (JSON.parse(text) as { sxType?: unknown } | null)?.sxType === 'agent'
  } catch {
    return false
  }
}
