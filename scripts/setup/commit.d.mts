/** The commit that a checkout stands at, with `-dirty` behind it if files differ; `null` if git cannot say. */
export declare function commitOf(folder: string): Promise<string | null>
