import { agents } from './agents.mjs'
import { agreements } from './agreements.mjs'
import { documents } from './documents.mjs'
import { files as signedFiles } from './files.mjs'
import { signedImages } from './images.mjs'
import { json } from './json.mjs'
import { keys } from './keys.mjs'
import { pae } from './pae.mjs'
import { requests } from './requests.mjs'
import { rotations } from './rotations.mjs'
import { signatures } from './signatures.mjs'
import { standaloneAgreements } from './standalone-agreements.mjs'
import { signedTexts } from './texts.mjs'
import { verdicts } from './verdicts.mjs'

const files = {
  json,
  pae,
  keys,
  signatures,
  agents,
  rotations,
  documents,
  agreements,
  verdicts,
  texts: signedTexts,
  images: signedImages,
  files: signedFiles,
  'standalone-agreements': standaloneAgreements,
  requests,
}

/** The text of every file of vectors, by its name. */
export function makeVectors() {
  return Object.fromEntries(
    Object.entries(files).map(([name, make]) => [`${name}.json`, `${JSON.stringify(make(), null, 2)}\n`]),
  )
}
