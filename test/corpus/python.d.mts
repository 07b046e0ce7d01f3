/** Python with Pillow and c2pa: its name and the environment it needs; undefined where it cannot be had. */
export declare function python(): Promise<{ program: string; env: NodeJS.ProcessEnv } | undefined>
/** Paths of photographs, some PNG and some JPEG; none where they cannot be had. */
export declare function photographs(): Promise<string[]>
