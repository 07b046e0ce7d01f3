// A passkey in place of a password, with authenticators that Chromium plays.
/* oxlint-disable typescript/unbound-method -- functions of the browser are replaced by others, which call them on `this` */
import { hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  device,
  everything,
  impatient,
  known,
  LOST,
  load,
  page,
  plant,
  plugged,
  ready,
  reencrypt,
  refused,
  reload,
  replug,
  signs,
  site,
  start,
} from './passkeys.ts'
import { hasNoBrowser } from './site.ts'

plugged()

describe.skipIf(hasNoBrowser)('a passkey', () => {
  it('opens the key after a reload, and is asked for each time', async () => {
    const made = await start()
    expect(made).toMatchObject({ value: { created: true } })
    expect(made).not.toHaveProperty('value.generatedPassword')
    expect(await device.passkeys()).toEqual([{ rpId: 'localhost', name: 'A', id: expect.any(String) as string }])
    expect(await signs()).toBe(true)
    for (const configPath of ['./sx.config.json', 'sx.config.json']) {
      await reload()
      expect(await load({ passkey: true, configPath })).toHaveProperty('value.name', 'A')
      expect(await signs()).toBe(true)
    }
    expect(await start()).toMatchObject({ value: { created: false } })
    expect(await device.passkeys()).toHaveLength(1)
  })

  it('leaves nothing stored that opens the key without the authenticator', async () => {
    const secrets = await page.evaluate(async () => {
      const { getClientExtensionResults } = PublicKeyCredential.prototype
      const seen: number[][] = []
      PublicKeyCredential.prototype.getClientExtensionResults = function (this: PublicKeyCredential) {
        const found = getClientExtensionResults.call(this)
        seen.push([...new Uint8Array(found.prf?.results?.first as ArrayBuffer)])
        return found
      }
      await window.sx.create({ name: 'A', algorithm: 'ed25519', passkey: true })
      return seen
    })
    expect(secrets).toEqual([expect.any(Array)])
    // As the protocol says, section 13.
    const derived = hkdfSync('sha256', Uint8Array.from(secrets[0] ?? []), '', 'sx-agent:passkey:1', 32)
    const password = Buffer.from(derived).toString('base64url')
    const stored = await everything()
    expect(stored).toContain('BEGIN ENCRYPTED PRIVATE KEY')
    expect(stored).not.toContain('CryptoKey')
    expect(stored).not.toContain(password)
    expect(stored).not.toContain(Buffer.from(secrets[0] ?? []).toString('latin1'))
    await device.clear()
    await reload()
    expect(await load()).toMatchObject(LOST)
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'The private key is protected by a passkey'))
    expect(await load({ password: 'a guess' })).toMatchObject({ code: 'WrongPassword' })
    expect(await load({ password })).toHaveProperty('value') // it was the right one
  })
})

describe.skipIf(hasNoBrowser)('where the person says no', () => {
  it('no agent is made, and none is loaded, until the person says yes', async () => {
    await impatient()
    await device.confirm(false)
    expect(await start()).toMatchObject(refused('PasskeyUnavailable', 'No passkey was created'))
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await everything()).not.toMatch(/PRIVATE KEY|sx\.config\.json|salt/)
    await device.confirm(true)
    await impatient(false)
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    await impatient()
    await device.confirm(false)
    expect(await load()).toMatchObject(LOST)
    await device.confirm(true)
    await impatient(false)
    expect(await load()).toHaveProperty('value')
  })
})

describe.skipIf(hasNoBrowser)('a creation that fails', () => {
  it('because there is no room leaves no passkey, neither known nor on the authenticator', async () => {
    await page.evaluate(() => {
      const { add } = IDBObjectStore.prototype
      IDBObjectStore.prototype.add = function (value, key) {
        if (!JSON.stringify(key).includes('.new')) return add.call(this, value, key)
        throw new DOMException('no room', 'QuotaExceededError')
      }
    })
    expect(await start()).toMatchObject({ code: 'StorageFull' })
    expect(await device.passkeys()).toEqual([])
    expect(await known()).toEqual([])
  })
})

describe.skipIf(hasNoBrowser)('a change of what opens the key', () => {
  it('goes from a password to a passkey and back, and what was counts no more', async () => {
    await start({ password: 'first', passkey: false })
    expect(await reencrypt('wrong', { passkey: true })).toMatchObject({ code: 'WrongPassword' })
    expect(await device.passkeys()).toEqual([])
    expect(await reencrypt('first', { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({ password: 'first' })).toMatchObject({ code: 'WrongPassword' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, { passkey: true })).toMatchObject({ code: 'InvalidOption' })
    expect(await reencrypt('first', 'second')).toMatchObject({ code: 'WrongPassword' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, 'second')).toEqual({ value: undefined })
    expect(await device.passkeys()).toEqual([])
    await reload()
    expect(await load()).toMatchObject({ code: 'PasswordRequired' })
    expect(await load({ password: 'second' })).toHaveProperty('value')
  })

  it('goes from what the page keeps to a passkey, and the page keeps nothing', async () => {
    await start({ passkey: false })
    expect(await load({})).toHaveProperty('value')
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({})).toMatchObject({ code: 'PasswordRequired' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ kept: true }, 'a password')).toMatchObject({ code: 'PasswordRequired' })
  })

  it('changes nothing if the person says no', async () => {
    await start({ password: 'first', passkey: false })
    await device.mistake()
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'PasskeyUnavailable' })
    await reload()
    expect(await load({ password: 'first' })).toHaveProperty('value')
    expect(await load()).toMatchObject({ code: 'PasswordRequired' })
  })
})

describe.skipIf(hasNoBrowser)('where there can be no passkey', () => {
  it('an authenticator without PRF is refused, and keeps none', async () => {
    await replug({ hasPrf: false })
    expect(await start()).toMatchObject(refused('Unsupported', 'PRF extension'))
    expect(await device.passkeys()).toEqual([])
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await start({ passkey: false })).toMatchObject({ value: { created: true } })
  })

  it('a page whose host is a number is told so', async () => {
    await page.goto(`${site.url.replace('localhost', '127.0.0.1')}probe/`)
    await ready(page)
    expect(await start()).toMatchObject(refused('Unsupported', 'Passkeys require a page on a host name'))
    expect(await load()).toMatchObject({ code: 'NotFound' })
  })

  it('a worker, a storage, a password beside it and other values are InvalidOption', async () => {
    const inWorker = await page.evaluate(() => window.sx.inWorker('passkey'))
    expect(inWorker).toMatchObject(refused('InvalidOption', 'A worker cannot request'))
    const inStorage = await page.evaluate(() => {
      const { sx } = window
      return sx.outcome(() => sx.create({ name: 'A', passkey: true, storage: sx.memoryStorage() }))
    })
    expect(inStorage).toMatchObject(refused('InvalidOption', 'the option `storage`'))
    expect(await start({ password: 'p' })).toMatchObject(refused('InvalidOption', 'cannot be used together'))
    expect(await start({ passkey: 1 as never })).toMatchObject(refused('InvalidOption', 'neither true nor false'))
    expect(await device.passkeys()).toEqual([])
    const sync = await page.evaluate(async () => {
      await window.sx.init()
      return window.sx.outcome(() => window.sx.loadSync({ passkey: true }))
    })
    expect(sync).toMatchObject({ code: 'SyncStorageUnavailable' })
  })

  it.each([
    ['InvalidOption', 'https or localhost', () => Object.defineProperty(window, 'isSecureContext', { value: false })],
    ['Unsupported', 'WebAuthn', () => Object.defineProperty(window, 'PublicKeyCredential', { value: undefined })],
  ])('%s says why: %s', async (code, found, sabotage) => {
    await page.evaluate(sabotage)
    expect(await start()).toMatchObject(refused(code, found))
    expect(await load({ passkey: true })).toMatchObject(refused(code, found))
  })

  it('one that is damaged is told before anybody is asked', async () => {
    await start()
    await plant([{ id: '?' }])
    expect(await load()).toMatchObject({ code: 'CorruptStore' })
  })
})
