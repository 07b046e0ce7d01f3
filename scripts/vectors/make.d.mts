/** The text of every file of vectors, by its name. */
export declare function makeVectors(): Record<string, string>
