// Verifying with one key, whoever has it, and with folders of keys and trust, without an agent.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { configIn, newFolder, refusal } from './fixtures.ts'

const photo = readFileSync(new URL('../../wasm/media/tests/data/texture.jpg', import.meta.url))
const file = { name: 'order.txt', data: new TextEncoder().encode('an order') }

let signer: SxAgent
let verifier: SxAgent
let signed: { document: string; text: Uint8Array; image: Uint8Array; file: string }

async function created(name: string): Promise<SxAgent> {
  const options = { name, algorithm: 'ed25519', password: 'correct horse', configPath: configIn(newFolder()) } as const
  return (await SxAgent.create(options)).agent
}

beforeAll(async () => {
  signer = await created('Billing')
  verifier = await created('Warehouse')
  signed = {
    document: (await signer.signMessage({ a: 1 })).raw,
    text: await signer.signText({ text: 'Dear all' }),
    image: await signer.signImage(photo),
    file: (await signer.signFile(file)).raw,
  }
})

type Verdict = { readonly valid: boolean; readonly trusted: boolean | undefined; readonly code: string | undefined }
type Keys = Pick<sx.VerifyTextOptions, 'key' | 'keys' | 'keyDir' | 'dataDirectory'>
type Functions = Pick<SxAgent, 'verifyText' | 'verifyImage' | 'verifyFile'>

/** The verdict on a text, an image and a file. */
async function verdicts(by: Functions, keys: Keys): Promise<Verdict[]> {
  const text = await by.verifyText(signed.text, keys)
  const image = await by.verifyImage(signed.image, keys)
  const { document, ...attached } = await by.verifyFile(signed.file, file, keys)
  return [
    { valid: text.valid, trusted: text.signers[0]?.trusted, code: text.code },
    { valid: image.valid, trusted: image.trusted, code: image.code },
    { valid: attached.valid, trusted: document.trusted, code: attached.code },
  ]
}

const three = (one: Verdict): Verdict[] => [one, one, one]

describe('the option key', () => {
  it('is refused undefined: where a setting is missing, no other keys count', async () => {
    const missing = { key: undefined } as unknown as { key: string }
    for (const call of [
      () => sx.verifyStandalone(signed.document, missing),
      () => signer.verifyText(signed.text, missing),
      () => signer.verifyImage(signed.image, missing),
      () => signer.verifyFile(signed.file, file, missing),
    ]) {
      const { found, advice } = await refusal(call, 'InvalidOption')
      expect([found, advice]).toEqual(["The option 'key' is not PEM text.", 'Pass the public key, or omit the option.'])
    }
  })

  it('makes one key count, whoever is loaded and trusts whom', async () => {
    const [key, other] = [signer.getPublicKey(), verifier.getPublicKey()]
    for (const by of [sx, signer, verifier]) {
      expect(await verdicts(by, { key })).toEqual(three({ valid: true, trusted: false, code: undefined }))
      expect(await verdicts(by, { key: other })).toEqual(three({ valid: false, trusted: false, code: 'KeyMismatch' }))
      const damaged = await verdicts(by, { key: 'no key' })
      expect(damaged).toEqual(three({ valid: false, trusted: false, code: 'InvalidKey' }))
    }
    expect(sx.verifyStandalone(signed.document, { key })).toMatchObject({ valid: true, trusted: false })
    expect(sx.verifyStandalone(signed.document, { key: other })).toMatchObject({ valid: false, code: 'KeyMismatch' })
  })

  it('stands alone', async () => {
    const key = signer.getPublicKey()
    for (const more of [{ keys: {} }, { keyDir: '.' }, { dataDirectory: '.' }]) {
      await refusal(() => sx.verifyText(signed.text, { key, ...more }), 'InvalidOption')
    }
    for (const more of [{ keys: {} }, { keyDirectory: '.' }, { dataDirectory: '.' }]) {
      await refusal(() => sx.verifyStandalone(signed.document, { key, ...more }), 'InvalidOption')
    }
    await refusal(() => sx.verifyText(signed.text, { key: 17 as never }), 'InvalidOption')
  })
})

describe('the option dataDirectory', () => {
  it('asks a trust store and a folder of keys in place of the agent', async () => {
    const { dataDirectory = '', keyDirectory: keyDir = '' } = verifier.getAgentInfo() ?? {}
    const unknown = three({ valid: false, trusted: false, code: 'UnknownSigner' })
    for (const by of [sx, signer]) expect(await verdicts(by, { dataDirectory })).toEqual(unknown)
    const folder = newFolder()
    writeFileSync(join(folder, `${signer.getAgentInfo()?.agentId}.public.pem`), signer.getPublicKey())
    const known = three({ valid: true, trusted: false, code: undefined })
    expect(await verdicts(sx, { dataDirectory, keyDir: folder })).toEqual(known)
    verifier.trustAgent(signer.exportAgent())
    const trusted = three({ valid: true, trusted: true, code: undefined })
    for (const by of [sx, signer]) expect(await verdicts(by, { dataDirectory, keyDir })).toEqual(trusted)
    verifier.untrustAgent(signer.getAgentInfo()?.agentId ?? '')
    expect(await verdicts(sx, { dataDirectory, keyDir })).not.toEqual(trusted)
  })

  it('is a folder that is there', async () => {
    const folder = newFolder()
    await refusal(() => sx.verifyText(signed.text, { dataDirectory: join(folder, 'nowhere') }), 'NotFound')
    await refusal(() => sx.verifyText(signed.text, { dataDirectory: '' }), 'InvalidOption')
    mkdirSync(join(folder, 'empty'))
    expect(await sx.verifyText(signed.text, { dataDirectory: join(folder, 'empty') })).toMatchObject({ valid: false })
  })
})

describe('readAgent', () => {
  it('says what trustAgent says, and trusts nobody', () => {
    const document = signer.exportAgent()
    const said = sx.readAgent(document)
    expect(verifier.listTrustedAgents()).toEqual([])
    expect(said).toEqual(verifier.trustAgent(document))
    expect([Object.isFrozen(said), Object.isFrozen(said.keyIds)]).toEqual([true, true])
    verifier.untrustAgent(said.agentId)
  })

  it('refuses what trustAgent refuses', async () => {
    const document = signer.exportAgent()
    for (const bad of [document.replace('Billing', 'Killing'), '{}', '{', signed.document]) {
      const codes = [
        'BadSignature',
        'HashMismatch',
        'InvalidAgent',
        'InvalidDocument',
        'MissingSignature',
        'NotJson',
      ] as const
      const { code, found } = await refusal(() => verifier.trustAgent(bad), codes)
      expect(() => sx.readAgent(bad)).toThrow(expect.objectContaining({ code, found }) as Error)
    }
    await refusal(() => sx.readAgent(17 as never), 'InvalidOption')
  })
})
