import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Platform } from '../src/platform.ts'

const HOME = /* @__PURE__ */ kind('home', { async: async () => refuse(), sync: refuse })

/** Runtimes that keep nothing of their own: Cloudflare Workers, Vercel's edge runtime. What is kept, the caller passes in. */
export const platform: Platform = {
  defaultStorage: 'fs', // of a configuration that is read elsewhere too; here it is never looked at
  environment: () => ({}),
  // oxlint-disable-next-line no-console -- there is no other means
  warn: (code, message) => console.warn(`sx-agent: ${code}: ${message}`),
  home: (configPath): EffectOf<'home'> => ({ kind: HOME, configPath }),
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
