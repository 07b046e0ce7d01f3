import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Home, Platform } from '../src/platform.ts'

/** Runtimes that keep nothing of their own: Cloudflare Workers, Vercel's edge runtime. What is kept, the caller passes in. */
export const platform: Platform = {
  defaultStorage: 'fs', // of a configuration that is read elsewhere too; here it is never looked at
  environment: () => ({}),
  // oxlint-disable-next-line no-console -- there is no other means
  warn: (code, message) => console.warn(`sx-agent: ${code}: ${message}`),
  home: (): Effect<Home> => ({ kind: 'storage', async: async () => refuse(), sync: refuse }),
  readFile: noFiles,
  scanFile: noFiles,
  editFile: noFiles,
  writeFile: noFiles,
  isSamePath: noFiles,
}

function noFiles(): never {
  throw new SxError('InvalidOption', 'This runtime has no files. Pass the bytes.')
}

function refuse(): never {
  throw new SxError('InvalidOption', "This runtime has no storage. Pass the option 'storage'.")
}
