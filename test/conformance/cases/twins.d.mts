/** Lists of arguments for each operation of the class that has a twin, given the state that it is called in. */
export declare const argumentsOf: Readonly<Record<string, ((state: object) => unknown[][]) | undefined>>
/** The same for the simplified module. */
export declare const argumentsOfSimple: typeof argumentsOf
/** Agreements of an agent alone, made by its synchronous functions when `make` is called. */
export declare function agreementsBy(
  call: (name: string, ...given: unknown[]) => unknown,
  agentId: string,
): { readonly terms: object; readonly make: () => object }
