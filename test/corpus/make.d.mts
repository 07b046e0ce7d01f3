/** The programs that are not here. */
export declare function missing(): string[]
/** Makes the images in a folder, anew; gives their names. */
export declare function makeCorpus(folder: string): Promise<string[]>
