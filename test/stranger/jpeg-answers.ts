// What a stranger and the library say of JPEG files: how much they can carry, and what they carry.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import { imageCapacity, verifyImage as verifyByLibrary } from 'sx-agent/simple'
import { Random } from '../simulation/random.ts'
import { type Members, type Source, verifyDocument } from './documents.ts'
import { signers } from './forge.ts'
import { signedPlanes } from './forge-picture.ts'
import { jpeg } from './jpeg.ts'
import { changedJpeg } from './jpeg-mutations.ts'
import { jpegOf } from './jpegs.ts'
import { c2paEnd } from './metadata.ts'
import { drawing, faults, goodScans } from './scan-scripts.ts'
import { named, sourcesWith } from './text-answers.ts'
import { verifyImage } from './verify.ts'

const [, , signer] = signers

/** Why a picture is not read; nothing if it is. */
function refusalOf(file: Buffer): string | undefined {
  try {
    jpeg(file, (from, end) => c2paEnd(file, from, end))
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

/** How many bits a picture can carry; 0 for one that is not read. */
const carriersOf = (file: Buffer): number =>
  refusalOf(file) === undefined ? jpeg(file, (from, end) => c2paEnd(file, from, end)).carriers.length : 0

const tools = (sourcesOf: (agentId: string) => readonly Source[]): Parameters<typeof verifyImage>[1] => ({
  documents: (text) => {
    const document = JSON.parse(text) as Members
    const { agentID } = document['sxSignature'] as { readonly agentID: string }
    return { code: verifyDocument(document, sourcesOf).code, signerId: agentID }
  },
  canonical: (value) => canonicalize(value) ?? '',
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
})

/** Room and verdict. */
export interface Answer {
  readonly bits: number
  readonly status: string | undefined
  readonly code: string | null | undefined
  readonly coverage: string | null | undefined
  readonly signerId: string | undefined
}

export function strangerSays(file: Buffer, sourcesOf = sourcesWith(named)): Answer {
  const { status, code, coverage, signerId } = verifyImage(file, tools(sourcesOf)) ?? {}
  return { bits: carriersOf(file), status, code, coverage, signerId }
}

export async function librarySays(file: Buffer, keys = named): Promise<Answer> {
  const { availableBits: bits } = await imageCapacity(file, { algorithm: 'ed25519' })
  const { status, code = null, coverage = null, signerId } = await verifyByLibrary(file, { keys })
  return { bits, status, code, coverage, signerId }
}

export const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../wasm/media/tests/data/${name}.jpg`, import.meta.url))

/** A picture that a stranger has signed, written in scans that follow from the seed. */
export function signedPicture(seed: number): Buffer {
  const random = new Random(seed)
  const picture = drawing(random, [120, 136], 0.6)
  const written = (scans: Random) => (planes: typeof picture.planes) =>
    jpegOf(picture.size, planes, picture.units, goodScans(picture, scans))
  const planes = signedPlanes(picture.planes, written(random), signer)
  if (planes === undefined) throw new RangeError(`The picture of seed ${seed} has no room.`)
  return written(random)(planes)
}

export const FIXTURES = ['photo-progressive', 'texture-progressive', 'progressive', 'photo-scans', 'photo-odd']

export interface Answers {
  readonly how: string
  readonly stranger: Answer
  readonly library: Answer
}

async function answersTo(how: string, file: Buffer): Promise<Answers> {
  const [stranger, library] = [strangerSays(file), await librarySays(file)]
  return { how: `${how}: ${file.toString('base64')}`, stranger, library }
}

/** For each of these seeds a small picture in scans that follow from it; most of them have a fault. */
export async function drawnAnswers(first: number, last: number): Promise<Answers[]> {
  const answers: Answers[] = []
  for (let seed = first; seed <= last; seed++) {
    const random = new Random(seed)
    const picture = drawing(random, [9, 40], random.pick([0.05, 0.3, 0.8]))
    const scans = goodScans(picture, random)
    const fault = random.chance(0.3) ? 'no fault' : random.pick(Object.keys(faults))
    faults[fault]?.(scans, random.below(scans.length), random)
    const file = jpegOf(picture.size, picture.planes, picture.units, scans)
    answers.push(await answersTo(`seed ${seed}, ${fault}`, file))
  }
  return answers
}

/** For each of these seeds a change of a fixture, or of a picture that a stranger has signed. */
export async function changedAnswers(first: number, last: number, signed: readonly number[]): Promise<Answers[]> {
  const [fixtures, pictures] = [FIXTURES.map(fixture), signed.map(signedPicture)]
  const answers: Answers[] = []
  for (let seed = first; seed <= last; seed++) {
    const random = new Random(seed)
    const { how, changed } = changedJpeg(random.pick(random.chance(0.5) ? pictures : fixtures), random)
    answers.push(await answersTo(`seed ${seed}, ${how}`, changed))
  }
  return answers
}
