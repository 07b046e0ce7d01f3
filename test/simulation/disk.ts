/** Who changed what, in the order it happened. */
export interface Change {
  readonly path: string
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

const SLASH = 47

/** Paths in the order of the storage contract: segment by segment, so that a slash comes before all else. */
function inOrder(left: string, right: string): number {
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) return (a === SLASH ? 0 : a) - (b === SLASH ? 0 : b)
  }
  return left.length - right.length
}

/** What all processes share: bytes under paths, and what has changed since somebody looked. */
export class Disk {
  readonly #entries: Map<string, Uint8Array>
  #changes: Change[] = []
  /** All paths in order, until one comes or goes. */
  #paths: readonly string[] | undefined
  /** What was written without asking that it survives a loss of power, with what stood there before. */
  readonly relaxed: Map<string, Uint8Array | undefined> = new Map()

  constructor(entries: Iterable<readonly [string, Uint8Array]> = []) {
    this.#entries = new Map(entries)
  }

  get(path: string): Uint8Array | undefined {
    return this.#entries.get(path)
  }

  text(path: string): string | undefined {
    const bytes = this.#entries.get(path)
    return bytes && new TextDecoder().decode(bytes)
  }

  put(path: string, bytes: Uint8Array, ifAbsent = false, isRelaxed = false): boolean {
    const before = this.#entries.get(path)
    if (ifAbsent && before !== undefined) return false
    if (!isRelaxed) this.relaxed.delete(path)
    else if (!this.relaxed.has(path)) this.relaxed.set(path, before)
    this.#entries.set(path, bytes)
    if (before === undefined) this.#paths = undefined
    this.#changes.push({ path, before, after: bytes })
    return true
  }

  delete(path: string): void {
    const before = this.#entries.get(path)
    if (before === undefined) return
    this.relaxed.delete(path)
    this.#entries.delete(path)
    this.#paths = undefined
    this.#changes.push({ path, before, after: undefined })
  }

  /** The paths below a folder (`''`: all), in order. */
  paths(folder = ''): string[] {
    this.#paths ??= [...this.#entries.keys()].sort(inOrder)
    return folder === '' ? [...this.#paths] : this.#paths.filter((path) => path.startsWith(`${folder}/`))
  }

  /** The first path below a folder after another path. */
  next(folder: string, after: string | undefined): string | undefined {
    return this.paths(folder).find((path) => after === undefined || inOrder(path, after) > 0)
  }

  takeChanges(): Change[] {
    const changes = this.#changes
    this.#changes = []
    return changes
  }

  copy(): Disk {
    return new Disk(this.#entries)
  }
}
