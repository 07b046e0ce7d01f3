/** Lists of arguments for each operation of the class that has a twin, given the state that it is called in. */
export declare const argumentsOf: Readonly<Record<string, ((state: object) => unknown[][]) | undefined>>
/** The same for the simplified module. */
export declare const argumentsOfSimple: typeof argumentsOf
