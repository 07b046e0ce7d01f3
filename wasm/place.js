// Where a module is in the package, which no bundler changes: it has to be none of its literal addresses.
export function moduleInPackage(name) {
  const { url } = import.meta
  return new URL('./dist/' + name + '/' + name + '_bg.wasm', url)
}
