/** A Worker that runs in workerd. */
export interface Served {
  readonly url: string
  readonly stop: () => void
  /** What workerd has printed. */
  readonly output: () => string
}

/** Serves the modules of a folder in workerd, the first of which is the Worker; bindings are texts. */
export function serveWorkerd(
  folder: string,
  options: {
    readonly modules: readonly string[]
    readonly flags?: readonly string[]
    readonly bindings?: Readonly<Record<string, string>>
  },
): Promise<Served>

/** The files of a Worker that {@link bundleWorker} has made, that which is run first. */
export declare const workerFiles: readonly string[]

/** One module of what a Worker needs, in `worker.js` of a folder, and the WebAssembly modules beside it. */
export function bundleWorker(project: string, entry: string, folder: string): Promise<void>
