// Where the WebAssembly module is, outside of what is bundled: sources and dist lie at different
// depths, while bundlers find the module only through a literal `new URL(…, import.meta.url)`.
export function coreSource() {
  try {
    return new URL('./dist/core/core_bg.wasm', import.meta.url)
  } catch {
    return undefined // a bundle in a format without `import.meta`: the caller of `init` has to say
  }
}

// Where a module stands in the package, which no bundler changes: it has to be none of its literal addresses.
export function moduleInPackage(name) {
  const { url } = import.meta
  return new URL('./dist/' + name + '/' + name + '_bg.wasm', url)
}
