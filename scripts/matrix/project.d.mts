/** The path of the tarball that would be published, made in a folder. */
export function pack(folder: string): Promise<string>
/** Makes a project that nothing is installed in yet; gives its path. */
export function emptyProject(folder: string): string
/** Installs a tarball by npm, and other packages beside it. */
export function npmInstall(project: string, tarball: string, ...more: string[]): Promise<unknown>
/** Puts the suite, its vectors and its runners into a project. */
export function copySuite(project: string): void
