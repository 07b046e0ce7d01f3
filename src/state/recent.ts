/** Puts an entry as the newest one of a map, which forgets its oldest beyond a capacity. */
export function putRecent<K, V>(map: Map<K, V>, key: K, value: V, capacity: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > capacity && oldest !== undefined) map.delete(oldest)
}
