// Counts what is asked for while the library is imported. It has to be imported before the library.

const counts = { randomness: 0, clock: 0, wasm: 0 }
const restore = []

/** Puts a counting form in the place of a function, its constructor form included. */
function watch(kind, object, name) {
  const found = object?.[name]
  if (typeof found !== 'function') return
  const own = Object.getOwnPropertyDescriptor(object, name)
  const count = () => {
    counts[kind] += 1
  }
  const value = new Proxy(found, {
    apply: (target, _, given) => {
      count()
      return Reflect.apply(target, object, given)
    },
    construct: (target, given) => {
      count()
      return Reflect.construct(target, given)
    },
  })
  const rights = own?.configurable === false ? {} : { configurable: true, writable: true } // of those globals only the value can change
  Object.defineProperty(object, name, { value, ...rights })
  restore.push(() => (own === undefined ? delete object[name] : Object.defineProperty(object, name, own)))
}

for (const name of ['getRandomValues', 'randomUUID']) watch('randomness', globalThis.crypto, name)
watch('randomness', Math, 'random')
watch('clock', Date, 'now')
watch('clock', globalThis, 'Date')
watch('clock', globalThis.performance, 'now')
for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming', 'Module', 'Instance'])
  watch('wasm', WebAssembly, name)

/** Ends the watch; gives what was counted. */
export function watched() {
  for (const undo of restore.splice(0).reverse()) undo()
  return { ...counts }
}
