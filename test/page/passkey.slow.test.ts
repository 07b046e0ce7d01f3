// Passkeys where something comes between: other devices, other tabs, kills, calls that are faster.
/* oxlint-disable typescript/unbound-method -- functions of the browser are replaced by others, which call them on `this` */
import { describe, expect, it } from 'vitest'
import { Authenticator } from './authenticator.ts'
import {
  context,
  device,
  entriesKept,
  impatient,
  type Known,
  known,
  LOST,
  load,
  moveTo,
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
  stuckAfter,
} from './passkeys.ts'
import { hasNoBrowser } from './site.ts'

plugged()

describe.skipIf(hasNoBrowser)('a passkey', () => {
  it('works with one that says its secret only when it is asked again, such as a security key', async () => {
    await replug({ transport: 'usb' })
    await page.evaluate(() => {
      // As authenticators without hmac-secret-mc do.
      const { getClientExtensionResults } = PublicKeyCredential.prototype
      PublicKeyCredential.prototype.getClientExtensionResults = function (this: PublicKeyCredential) {
        const results = getClientExtensionResults.call(this)
        return this.response instanceof AuthenticatorAttestationResponse ? { prf: { enabled: true } } : results
      }
    })
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('opens the key in another frame or tab of the origin that has the authenticator', async () => {
    await moveTo(await site.profile({ bypassCSP: true })) // which allows no frames
    await start()
    // Chromium plays an authenticator for one tab. A frame is a realm of its own, as another tab is.
    const other = await page.evaluateHandle(() => document.body.appendChild(document.createElement('iframe')))
    await other.evaluate((frame) => {
      frame.src = location.href
    })
    const frame = await other.asElement()?.contentFrame()
    if (!frame) throw new Error('There is no frame.')
    await ready(frame)
    expect(await load({ passkey: true }, frame)).toHaveProperty('value.name', 'A')
    expect(await signs(frame)).toBe(true)

    const tab = await site.probe(context)
    await Authenticator.plug(tab) // another device
    expect(await load({ passkey: true }, tab)).toMatchObject(LOST)
    expect(await load({ passkey: true })).toHaveProperty('value')
  })

  it('is one for each agent, and opens no other', async () => {
    await start()
    await start({ name: 'B', configPath: 'b/sx.config.json' })
    expect(new Set((await device.passkeys()).map(({ name }) => name))).toEqual(new Set(['A', 'B']))
    await reload()
    for (const [name, configPath] of [
      ['A', 'sx.config.json'],
      ['B', 'b/sx.config.json'],
    ] as const) {
      expect(await load({ passkey: true, configPath })).toHaveProperty('value.name', name)
      expect(await signs()).toBe(true)
    }
    // What is known of the one, put in the place of the other.
    const [[a], [b]] = [await known(), await known('b/sx.config.json')]
    const { agentId, encryption } = b as Known
    await plant([{ ...a, agentId }], 'b/sx.config.json')
    expect(await load({ passkey: true, configPath: 'b/sx.config.json' })).toMatchObject({ code: 'PasswordRequired' })
    await plant([{ ...a, agentId, encryption }], 'b/sx.config.json')
    expect(await load({ passkey: true, configPath: 'b/sx.config.json' })).toMatchObject({ code: 'WrongPassword' })
  })
})

describe.skipIf(hasNoBrowser)('where the person says no', () => {
  it('a passkey that was removed says the same, and a backup brings the agent back', async () => {
    await start()
    const plain = await page.evaluate(() => window.sx.outcome(() => window.sx.exportStore()))
    expect(plain).toMatchObject(refused('PasswordRequired', 'Pass a `password` for the backup'))
    const backup = await page.evaluate(async () => [...(await window.sx.exportStore({ password: 'of the backup' }))])
    await device.clear()
    expect(await load()).toMatchObject(LOST)
    const configPath = 'restored/sx.config.json'
    await page.evaluate(([bytes, configPath]) => window.sx.importStore(new Uint8Array(bytes), { configPath }), [
      backup,
      configPath,
    ] as const)
    expect(await load({ configPath, passkey: true })).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ configPath, password: 'of the backup' })).toHaveProperty('value.name', 'A')
    expect(await reencrypt('of the backup', { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({ configPath, passkey: true })).toHaveProperty('value.name', 'A')
  })

  it('another host has other passkeys', async () => {
    await start()
    const [passkey] = await known()
    await page.goto(`${site.url.replace('localhost', 'other.localhost')}probe/`)
    await ready(page)
    await start()
    const [own] = (await known()) as [Known]
    await plant([{ ...own, ...passkey, agentId: own.agentId, encryption: own.encryption }])
    await impatient()
    expect(await load()).toMatchObject(LOST)
  })
})

describe.skipIf(hasNoBrowser)('a page that dies', () => {
  it.each([
    [
      'before the passkey is known',
      () =>
        page.evaluate(() => {
          const { create } = CredentialsContainer.prototype
          CredentialsContainer.prototype.create = async function (options) {
            await create.call(this, options)
            Object.assign(window, { isStuck: true })
            return new Promise(() => {})
          }
        }),
    ],
    ['before the key is written', () => page.evaluate(stuckAfter, ['passkeys', true] as const)],
  ])('%s leaves no agent, and the next start makes one', async (_, sabotage) => {
    await sabotage()
    await page.evaluate(() => void window.sx.create({ name: 'A', algorithm: 'ed25519', passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    expect(await load()).toHaveProperty('value')
    expect(await known()).toHaveLength(1)
  })
})

describe.skipIf(hasNoBrowser)('a creation that fails', () => {
  it('because another call was faster ends with one agent and one passkey', async () => {
    const made = await page.evaluate(() => {
      const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', passkey: true } as const
      return Promise.all([1, 2].map(() => window.sx.outcome(() => window.sx.quickstart(options))))
    })
    // Whether the second one may ask before the first one is answered, is the browser's affair.
    const others = made.filter((one) => !('value' in one && one.value.created))
    expect(others).toHaveLength(1)
    for (const other of others) expect('value' in other || other.code === 'Busy').toBe(true)
    expect(await device.passkeys()).toHaveLength(1)
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })
})

describe.skipIf(hasNoBrowser)('a change of what opens the key', () => {
  it('that loses to another one leaves no passkey', async () => {
    await start({ password: 'first', passkey: false })
    await page.evaluate(() => {
      const { create } = CredentialsContainer.prototype
      CredentialsContainer.prototype.create = async function (options) {
        const other = new window.sx.SxAgent({ password: 'first' })
        await other.load()
        await other.reencryptKey('first', 'other')
        return create.call(this, options)
      }
    })
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'WrongPassword' })
    expect(await device.passkeys()).toEqual([])
    expect(await known()).toEqual([])
    expect(await load({ password: 'other' })).toHaveProperty('value')
  })

  it('whose end is not known keeps both, and one of them opens', async () => {
    await start({ password: 'first', passkey: false })
    await page.evaluate(() => {
      const { add } = IDBObjectStore.prototype
      IDBObjectStore.prototype.add = function (value, key) {
        if (!JSON.stringify(key).includes('.pem')) return add.call(this, value, key)
        throw new DOMException('no room', 'QuotaExceededError')
      }
    })
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'StorageFull' })
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ password: 'first' })).toHaveProperty('value')
    expect(await reencrypt('first', { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    expect(await device.passkeys()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('tells who asks for a passkey of a key that the page keeps how to come to one', async () => {
    await start({ passkey: false })
    await reload()
    const told = refused('PasswordRequired', 'Call `load()` without `passkey`, then `reencryptKey({ kept: true }, {')
    expect(await load()).toMatchObject(told)
    expect(await start()).toMatchObject(told)
    expect(await load({})).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, 'typed')).toMatchObject(told)
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await start()).toMatchObject({ value: { created: false } })
  })

  it('that is killed before the key has changed leaves it to what opened it, and the passkey counts for nothing', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['passkeys', true] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, { passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await known()).toHaveLength(1)
    await device.confirm(false) // nobody is asked
    expect(await load()).toMatchObject(
      refused('PasswordRequired', 'The private key has a password stored in this page'),
    )
    expect(await start()).toMatchObject(
      refused('PasswordRequired', 'The private key has a password stored in this page'),
    )
    expect(await load({})).toHaveProperty('value')
    const plain = await page.evaluate(() => window.sx.outcome(async () => (await window.sx.exportStore()).length))
    expect(plain).toMatchObject(refused('PasswordRequired', 'This page stores the password'))
    await device.confirm(true)
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    expect(await device.passkeys()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('that is killed after the key has changed leaves it to the passkey, and the next load drops what was kept', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['password', false] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, { passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    const told = refused('PasswordRequired', 'any more. A passkey does: pass `passkey: true`')
    expect(await load({})).toMatchObject(told)
    expect(await start({ passkey: false })).toMatchObject(told)
    expect(await entriesKept()).toBe(1)
    expect(await load()).toHaveProperty('value')
    expect(await signs()).toBe(true)
    expect(await entriesKept()).toBe(0)
    await reload()
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'The private key is protected by a passkey'))
  })

  it('that is killed after the key has changed leaves it to the typed password in the same way', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['password', false] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, 'typed').catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'the password was changed'))
    expect(await entriesKept()).toBe(1)
    expect(await load({ password: 'typed' })).toHaveProperty('value')
    expect(await entriesKept()).toBe(0)
  })

  it('is not mixed up with a backup that comes in the place of a deleted agent', async () => {
    await start({ passkey: false })
    const backup = await page.evaluate(async () => [...(await window.sx.exportStore({ password: 'of the backup' }))])
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await page.goto(`${site.url}probe/`) // closes what the page has open
    await ready(page)
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('sx-agent')
          request.onsuccess = resolve
          request.onerror = reject
        }),
    )
    await page.evaluate((bytes) => window.sx.importStore(new Uint8Array(bytes)), backup)
    expect(await known()).toHaveLength(1)
    expect(await load()).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ password: 'of the backup' })).toHaveProperty('value')
    const plain = await page.evaluate(() => window.sx.outcome(async () => (await window.sx.exportStore()).length))
    expect(plain).toEqual({ value: expect.any(Number) as number })
    expect(await reencrypt('of the backup', { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })
})
