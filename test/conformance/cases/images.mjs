// Signed images: the vectors, the forms in which images are passed, and every small change that is made at random.
import agents from '../../vectors/agents.json' with { type: 'json' }
import vectors from '../../vectors/images.json' with { type: 'json' }
import { equal, ok, outcome, refused } from '../assert.mjs'
import { blackPng, textBomb } from '../bombs.mjs'
import { mutate, SAMPLES, spliced } from '../mutations.mjs'
import { noise, pngChunk, pngOf, shownOfPng } from '../pictures.mjs'
import { replaced } from '../world.mjs'

const encoder = new TextEncoder()
const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
const textOf = (payload) => atob(payload.replaceAll('-', '+').replaceAll('_', '/'))

const [png] = vectors.files

const fileOf = (name) => vectors.files.find((file) => file.name === name)

export function images({ SxError, simple, verifier, open }) {
  let opened
  const verifying = async () => {
    opened ??= verifier()
    return (await opened).agent
  }
  return [
    ...vectors.cases.map(({ name, image, lost = [], ...expected }) => [
      `image: ${name}`,
      async () => {
        const agent = await verifying()
        const bytes = bytesOf(image)
        const result = await agent.verifyImage(bytes)
        const { status, valid, coverage, signerId, trusted, unsignedRegions, code, errors } = result
        equal(
          {
            status,
            valid,
            coverage: coverage ?? null,
            signerId,
            trusted,
            unsignedRegions: [...unsignedRegions],
            code: code ?? null,
          },
          expected,
          errors.join(),
        )
        equal([...result.lost], lost, 'lost')
        equal(errors.length === 0, valid, 'errors say why')
        for (const part of [result, errors, unsignedRegions]) ok(Object.isFrozen(part), 'frozen')
        const known = agents.agents.find(({ agentId }) => agentId === signerId)
        equal(result.algorithm, valid ? known.algorithm : '', 'algorithm')
        equal(result.signedAt !== '', valid, 'date')
        equal(await agent.verifyImage(new Blob([bytes])), result, 'of a Blob')
        const strict = await outcome(SxError, () => agent.verifyImage(bytes, { strict: true }))
        if (status === 'missing_signature') equal(strict.code, 'MissingSignature', 'strict')
        else equal(strict.value, result, 'strict')
      },
    ]),
    ...vectors.refusals.map(({ name, code, image }) => [
      `image: ${name} is refused, or replaced`,
      async () => {
        const { agent } = await open('ed25519', 'Author')
        if (code !== 'BadSignature') return await refused(SxError, code, () => agent.signImage(bytesOf(image), null))
        // What is left of a signature is not taken out unasked, and is replaced by another one.
        await refused(SxError, code, () => simple.stripImageSignature(bytesOf(image)))
        ok((await agent.verifyImage(await agent.signImage(bytesOf(image), null))).valid, name)
      },
    ]),
    [
      'image: what is taken out is the file as it was, and what it carries is shown',
      async () => {
        for (const { name, input, signed, payload } of vectors.files) {
          equal(await simple.stripImageSignature(bytesOf(signed)), bytesOf(input), name)
          equal(await simple.extractMediaSignature(bytesOf(signed), { rawPayload: true }), payload, name)
          equal(await simple.extractMediaSignature(bytesOf(signed)), JSON.parse(textOf(payload)), name)
          equal(await simple.stripImageSignature(bytesOf(input)), bytesOf(input), name)
        }
        for (const { name, pixels, document } of vectors.pictures) {
          equal(await simple.extractMediaSignature(bytesOf(pixels)), JSON.parse(document), name)
        }
        await refused(SxError, 'MissingSignature', () => simple.extractMediaSignature(bytesOf(png.input)))
      },
    ],
    [
      'image: is taken in every form, and what is passed stays as it is',
      async () => {
        const { agent, agentId } = await open('pq2025', 'Author')
        for (const { name, input } of vectors.files) {
          const bytes = bytesOf(input)
          const given = bytes.slice()
          const blob = new Blob([given.subarray(0, 50), given.subarray(50)])
          for (const form of [given, blob, new Response(blob), new Response(bytes.slice())]) {
            const signing = agent.signImage(form, null)
            if (form === given) given.fill(0) // what the caller does meanwhile changes nothing
            const signed = await signing
            ok(signed instanceof Uint8Array, name)
            for (const again of [signed, new Blob([signed]), new Response(signed)]) {
              const { status, signerId, coverage, algorithm } = await agent.verifyImage(again)
              equal([status, signerId, coverage, algorithm], ['valid', agentId, 'file', 'pq2025'], name)
            }
            equal(await simple.stripImageSignature(signed), bytes, name)
            given.set(bytes)
          }
        }
      },
    ],
    [
      'image: what is none, and what nobody can look at, is refused',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const forms = [
          (bad) => agent.signImage(bad, null),
          (bad) => agent.verifyImage(bad),
          (bad) => agent.imageCapacity(bad),
          (bad) => simple.extractMediaSignature(bad),
          (bad) => simple.stripImageSignature(bad),
        ]
        for (const form of forms) {
          for (const bad of [undefined, null, 17, '', {}, [], new ArrayBuffer(1), new Date(0), { size: 1 }]) {
            await refused(SxError, 'InvalidOption', () => form(bad), typeof bad)
          }
          for (const bad of [
            Response.error(),
            new Response('gone', { status: 404 }),
            new Response(null, { status: 204 }),
          ]) {
            await refused(SxError, 'Unverifiable', () => form(bad), bad.type)
          }
          await refused(SxError, 'InvalidOption', () => form(new URL('file:///photo.jpg')))
          await refused(SxError, 'LimitExceeded', () => form(new Uint8Array(2 ** 28 + 1)))
          const { code } = await outcome(SxError, () => form('./nowhere/photo.jpg'))
          ok(['NotFound', 'InvalidOption'].includes(code), code)
        }
        for (const bad of ['no image', '']) {
          for (const form of [forms[0], forms[1], forms[3], forms[4]]) {
            await refused(SxError, 'Unsupported', () => form(new Response(bad)))
          }
        }
        for (const out of ['', 7]) {
          await refused(SxError, 'InvalidOption', () => agent.signImage(bytesOf(png.input), out))
        }
        for (const options of [{ robust: 1 }, { refuseOverwrite: 'no' }, { ignoreC2PA: true }, 'robust']) {
          await refused(SxError, 'InvalidOption', () => agent.signImage(bytesOf(png.input), null, options))
        }
        const reader = await open('ed25519', 'Author', { verifyOnly: true })
        await refused(SxError, 'PasswordRequired', () => reader.agent.signImage(bytesOf(png.input), null))
      },
    ],
    [
      'image: keys that are named count beside those that are known',
      async () => {
        const { agent } = await open('ed25519', 'Reader')
        const { signed } = fileOf('ed25519 rgb.png')
        const { agentId, raw } = agents.agents.find(({ algorithm }) => algorithm === 'ed25519')
        const found = async (options) => {
          const { status, code, trusted } = await agent.verifyImage(bytesOf(signed), options)
          return [status, code, trusted]
        }
        equal(await found(), ['invalid', 'UnknownSigner', false])
        equal(await found({ keys }), ['valid', undefined, false])
        equal(await found({ keyDir: keys }), ['valid', undefined, false])
        equal(await found(), ['invalid', 'UnknownSigner', false], 'for one call only')
        agent.trustAgent(raw)
        equal(await found(), ['valid', undefined, true])
        equal(await found({ keys: { [agentId]: agent.getPublicKey() } }), ['invalid', 'KeyConflict', false], 'T06')
        equal(await found(), ['valid', undefined, true], 'and nothing stays')
        await refused(SxError, 'InvalidOption', () => found({ keys, keyDir: keys }))
        await refused(SxError, 'InvalidOption', () => found({ strict: 1 }))
        await refused(SxError, 'InvalidOption', () => found({ key: keys }))
      },
    ],
    [
      'image: signs to the same bytes everywhere, and refuses to sign twice if it is asked to',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const fixed = (bytes) => bytes.map((_, at) => (7 + at * 31) & 255)
        const sign = () =>
          replaced(
            Date,
            'now',
            () => Date.UTC(2026, 0, 2),
            () =>
              replaced(globalThis.crypto, 'getRandomValues', fixed, () => agent.signImage(bytesOf(png.input), null)),
          )
        const signed = await sign()
        equal(await sign(), signed)
        await refused(SxError, 'AlreadySigned', () => agent.signImage(signed, null, { refuseOverwrite: true }))
        const again = await agent.signImage(signed, null)
        equal(await simple.stripImageSignature(again), bytesOf(png.input))
        ok(await agent.signImage(bytesOf(png.input), null, { refuseOverwrite: true }), 'one without a signature')
      },
    ],
    [
      'image: signed in its pixels it outlives its metadata',
      async () => {
        const { agent, agentId } = await open('ed25519', 'Author')
        const found = async (image) => {
          const { status, coverage, signerId } = await agent.verifyImage(image)
          return [status, coverage, signerId]
        }
        for (const { name, input, display, usedBits } of vectors.pictures) {
          const bytes = bytesOf(input)
          const { supported, reason, neededBits, availableBits } = await agent.imageCapacity(bytes)
          equal([supported, reason, neededBits], [true, undefined, usedBits], name)
          ok(availableBits >= neededBits, name)
          const signed = await agent.signImage(bytes, null, { robust: true })
          equal(await found(signed), ['valid', 'file', agentId], name)
          const stripped = await simple.stripImageSignature(signed)
          equal(await found(stripped), ['valid', 'pixels', agentId], name)
          const { content } = await simple.extractMediaSignature(stripped)
          equal([content.scheme, content.display], ['sx-pixels-v1', display], name)
          await refused(SxError, 'AlreadySigned', () => agent.signImage(stripped, null, { refuseOverwrite: true }))
          const again = await agent.signImage(signed, null, { robust: true })
          equal(await found(again), ['valid', 'file', agentId], name)
        }
      },
    ],
    [
      'image: what has no room in its pixels is refused with numbers or a reason',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const small = bytesOf(png.input)
        const { supported, reason, neededBits, availableBits } = await agent.imageCapacity(small)
        ok(!supported && reason.includes(`${neededBits}`) && reason.includes(`${availableBits}`), reason)
        const message = await refused(SxError, 'Unsupported', () => agent.signImage(small, null, { robust: true }))
        ok(message.startsWith(`Unsupported: ${reason}`), message)
        const webp = bytesOf(fileOf('ed25519 lossy.webp').input)
        equal((await agent.imageCapacity(webp)).supported, false)
        await refused(SxError, 'Unsupported', () => agent.signImage(webp, null, { robust: true }))
        equal((await agent.imageCapacity(new Blob(['no image']))).availableBits, 0)
      },
    ],
    [
      'image: T34 what inflates to 1 GiB is not inflated, and 4 GB that are only said to be there are not waited for',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const ends = async (image, signs = 'Unsupported') => {
          const { code } = await outcome(SxError, () => agent.signImage(image, null))
          equal(code, signs)
          const { valid, status } = await agent.verifyImage(image)
          equal(valid, false, status)
          await outcome(SxError, () => simple.extractMediaSignature(image))
          await outcome(SxError, () => simple.stripImageSignature(image))
          return status
        }
        const full = [0xff, 0xff, 0xff, 0xff]
        for (const { input, signed } of vectors.files.map((file) => ({ ...file, input: bytesOf(file.input) }))) {
          // RIFF and its first chunk, or what follows IHDR; no segment of a JPEG can say so much.
          for (const from of { 0x52: [4, 16], 0x89: [33], 0xff: [] }[input[0]]) {
            equal(await ends(spliced(input, from, from + 4, full)), 'missing_signature')
            equal(await ends(spliced(bytesOf(signed), from, from + 4, full), 'BadSignature'), 'invalid')
          }
        }
        const many = new Uint8Array(65_535 * 6).map((_, n) => [0xff, 0xeb, 0, 4, 0x4a, 0x50][n % 6])
        const jpeg = spliced(bytesOf(fileOf('ed25519 exif.jpg').input), 2, 2, many)
        const bomb = spliced(bytesOf(png.input), 33, 33, textBomb(2 ** 30))
        for (const image of [jpeg, bomb]) {
          const signed = await agent.signImage(image, null)
          equal((await agent.verifyImage(signed)).status, 'valid')
          equal((await agent.verifyImage(image)).status, 'missing_signature')
          equal((await simple.stripImageSignature(signed)).length, image.length)
        }
        const black = blackPng(40_000, 40_000) // 1.6 GB of pixels in 10 MB
        equal((await agent.verifyImage(black)).status, 'missing_signature')
        ok((await agent.imageCapacity(black)).reason.includes('exceeds the limits'), 'larger than what is read')
        await refused(SxError, 'LimitExceeded', () => agent.signImage(black, null, { robust: true }))
        const huge = pngOf(2 ** 31 - 1, 2 ** 31 - 1, 0, [1, 2, 3])
        equal((await agent.verifyImage(huge)).status, 'missing_signature')
        await refused(SxError, 'Unsupported', () => agent.signImage(huge, null, { robust: true }))
      },
    ],
    ...['ed25519', 'pq2025'].map((algorithm, at) => [
      `image: none of ${SAMPLES} small changes goes unnoticed, ${algorithm}`,
      async () => {
        const agent = await verifying()
        const signed = ['rgb.png', 'exif.jpg', 'lossy.webp'].map((name) =>
          bytesOf(fileOf(`${algorithm} ${name}`).signed),
        )
        // Those that are signed in their pixels, too, are still not valid without a whole signature in their metadata.
        const both = vectors.pictures.filter((picture) => picture.algorithm === algorithm)
        await mutate([...signed, ...both.map((picture) => bytesOf(picture.signed))], 11 + at, async (changed) => {
          // What no longer begins or ends as an image is refused, or carries no signature.
          const { value, code } = await outcome(SxError, () => agent.verifyImage(changed))
          if (value === undefined) equal(code, 'Unsupported')
          else ok(!value.valid && !value.trusted && value.algorithm === '', value.status)
        })
      },
    ]),
    ...['ed25519', 'pq2025'].map((algorithm, at) => [
      `image: ${SAMPLES} small changes of one signed in its pixels leave the picture or are noticed, ${algorithm}`,
      async () => {
        const { agent } = await open(algorithm, 'Author')
        const signed = await agent.signImage(noise(algorithm === 'ed25519' ? 50 : 150, 100), null, { robust: true })
        const comment = pngChunk('tEXt', encoder.encode(`Comment\0${'not displayed '.repeat(100)}`))
        const bare = spliced(await simple.stripImageSignature(signed), 33, 33, comment)
        const picture = shownOfPng(bare)
        let noticed = 0
        await mutate([bare], 13 + at, async (changed) => {
          const { value, code } = await outcome(SxError, () => agent.verifyImage(changed))
          if (value === undefined) equal(code, 'Unsupported')
          if (value?.valid) equal([value.coverage, shownOfPng(changed)], ['pixels', picture])
          else noticed++
        })
        ok(noticed > SAMPLES / 2, `${noticed} noticed`)
        // Words that nobody takes for more may change as a whole, with their checksum.
        const other = pngChunk('tEXt', encoder.encode(`Comment\0${'other words '.repeat(100)}`))
        const reworded = spliced(bare, 33, 33 + comment.length, other)
        equal((await agent.verifyImage(reworded)).coverage, 'pixels')
        equal(shownOfPng(reworded), picture)
      },
    ]),
  ]
}
