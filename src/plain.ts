/** A copy that holds nothing but the own enumerable members, not even what a polluted `Object.prototype` would add. */
export function alone<T extends object>(members: T): T {
  return Object.assign(Object.create(null) as T, members)
}

/** Whether an object is one of `{}` or `Object.create(null)`, also of another realm. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || prototype === Object.prototype) return true
  const isObjectPrototype = Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
  return isObjectPrototype && Object.prototype.toString.call(value) === '[object Object]'
}
