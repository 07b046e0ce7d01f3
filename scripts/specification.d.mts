export interface Row {
  readonly name: string
  /** Of functions. */
  readonly isBuilt?: boolean
}
export interface Section {
  readonly number: string
  readonly title: string
  readonly rows: readonly Row[]
}
export const page: string
export function rowsNamedIn(source: string): string[]
export function namedInTests(): Map<string, string[]>
export function faults(named: Map<string, string[]>, all?: readonly Section[]): string[]
export function shownOn(text: string): string[]
export function written(named: Map<string, string[]>, all?: readonly Section[]): string
