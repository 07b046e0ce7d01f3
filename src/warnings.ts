import { platform } from '#platform'

const told = new Set<string>()

/** Tells whoever runs the program of something that it may have overlooked: once for each code, however often it is so. */
export function warn(code: string, message: string): void {
  if (told.has(code)) return
  told.add(code)
  platform.warn(code, message)
}
