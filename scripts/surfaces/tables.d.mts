/** The operations of a surface by their forms, and the classes beside them. */
export interface Surface {
  readonly twins: readonly string[]
  readonly direct: readonly string[]
  readonly awaited: readonly string[]
  readonly classes: readonly string[]
}
/** The surfaces: /simple, the methods of SxAgent, the core module, and /verify. */
export interface Tables {
  readonly simple: Surface
  readonly agent: Surface
  readonly core: Surface
  readonly verify: Surface
  readonly different: readonly string[]
}
export declare const tables: Tables
/** The functions of a surface. */
export declare function functionsOf(surface: Surface): string[]
/** The names of all methods of a class. */
export declare function methodsOf(prototype: object): string[]
