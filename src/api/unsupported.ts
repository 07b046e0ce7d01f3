import { SxError } from '../errors.ts'

/** Refuses the arguments of what is not built yet, instead of ignoring them. */
export function refuseUnsupported(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false || isEmpty(value)) continue
    throw new SxError('Unsupported', `The argument '${name}' is not supported yet.`)
  }
}

/** Whether it is an array without items; not if it cannot be told, because a proxy throws. */
function isEmpty(value: unknown): boolean {
  try {
    return Array.isArray(value) && value.length === 0
  } catch {
    return false
  }
}
