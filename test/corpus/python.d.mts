/** Python with Pillow and c2pa: its name and the environment it needs; undefined where it cannot be had. */
export declare function python(): Promise<{ program: string; env: NodeJS.ProcessEnv } | undefined>
/** The same with Pillow, OpenCV, MuPDF and a program of ffmpeg. */
export declare const pythonReaders: typeof python
/** The same with mozjpeg and oxipng. */
export declare const pythonOptimisers: typeof python
/** The module of sharp; undefined where it cannot be had. */
export declare function sharpModule(): Promise<unknown>
/** Paths of photographs, some PNG and some JPEG; none where they cannot be had. */
export declare function photographs(): Promise<string[]>
