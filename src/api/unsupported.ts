import { SxError } from '../errors.ts'

/** Refuses the arguments of what is not built yet, instead of ignoring them. */
export function refuseUnsupported(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    if (Array.isArray(value) && value.length === 0) continue
    throw new SxError('Unsupported', `The argument '${name}' is not supported yet.`)
  }
}
