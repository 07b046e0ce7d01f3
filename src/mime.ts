import { MIME_TYPES } from './mime-types.ts'

/** The MIME type that the ending of a name tells. */
export function mimeTypeOf(name: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  const line = ending && MIME_TYPES.split('\n').find((types) => types.split(' ').indexOf(ending) > 0)
  return line ? line.slice(0, line.indexOf(' ')) : 'application/octet-stream'
}
