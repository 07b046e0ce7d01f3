/** A seed that has found a fault. What a seed does changes with the library and with the simulation: new ones are added. */
export interface Found {
  readonly scenario: string
  readonly seed: number
  readonly what: string
}

export const found: readonly Found[] = []
