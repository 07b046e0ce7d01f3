// The WebAssembly modules that the package exports, for runners that say where they are.
import manifest from 'sx-agent/package.json' with { type: 'json' }

/** Options of `init`: where each is. */
export function modulesAt(placeOf) {
  const names = Object.keys(manifest.exports).flatMap((path) => /^\.\/(\w+)\.wasm$/.exec(path)?.[1] ?? [])
  return Object.fromEntries(names.map((name) => [name, placeOf(name)]))
}
