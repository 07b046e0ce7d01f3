/** A copy that holds nothing but the own enumerable members, not even what a polluted `Object.prototype` would add. */
export function alone<T extends object>(members: T): T {
  return Object.assign(Object.create(null) as T, members)
}

/** Whether it is an object literal or one without a prototype, of this or of another realm. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
