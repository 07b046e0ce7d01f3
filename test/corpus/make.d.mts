/** The programs that are not here. */
export declare function missing(): string[]
/** The folder of the images in .cache, made if they are not there; and their names. */
export declare function corpus(): Promise<{ folder: string; names: string[] }>
