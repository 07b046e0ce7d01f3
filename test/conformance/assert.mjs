// What a case needs to fail, without a test framework.

function show(value) {
  if (value instanceof Error) return String(value)
  const text = JSON.stringify(value)
  return text === undefined ? String(value) : text.length > 500 ? `${text.slice(0, 500)}…` : text
}

/** Whether two values are the same: primitives by Object.is, others by type and own properties. */
function isSame(a, b) {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a).sort()
  const others = Object.keys(b).sort()
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isSame(own(a, name), own(b, name)))
  )
}

/** An own property, also one named __proto__. */
export const own = (value, name) => Object.getOwnPropertyDescriptor(value, name)?.value

export function equal(actual, expected, what = 'value') {
  if (!isSame(actual, expected)) throw new Error(`${what}: ${show(actual)} instead of ${show(expected)}`)
}

export function ok(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`)
}

/** What a call ends in: its value, or the code of the SxError it throws. Anything else thrown is a failure. */
export async function outcome(SxError, call) {
  try {
    return { value: await call() }
  } catch (error) {
    if (error instanceof SxError) return { code: error.code, message: error.message }
    throw error
  }
}

/** The call ends in an SxError with this code; gives the error's message. */
export async function refused(SxError, code, call, what = 'call') {
  const found = await outcome(SxError, call)
  equal(found.code ?? found.value, code, what)
  return found.message
}
