// One backup through two runtimes: made of files, restored in a page, made there again, restored into files.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

const password = 'correct horse 7 battery staple'
const folder = mkdtempSync(join(tmpdir(), 'sx-backup-'))
let site: Site
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterAll(async () => {
  await site?.close()
  rmSync(folder, { recursive: true })
})

describe.skipIf(hasNoBrowser)('a backup', () => {
  it('with the password that a page stores is refused: nobody could open it', async () => {
    const context = await site.profile()
    const page = await site.probe(context)
    const { plain, backup } = await page.evaluate(async () => {
      const { sx } = window
      await sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
      const plain = [
        await sx.outcome(() => sx.exportStore()),
        await sx.outcome(() => Promise.resolve().then(() => sx.exportStoreSync())),
      ]
      return { plain, backup: new TextDecoder().decode(await sx.exportStore({ password: 'of the backup, 7' })) }
    })
    for (const outcome of plain) {
      expect(outcome).toMatchObject({ code: 'PasswordRequired' })
      expect(outcome).toHaveProperty(
        'message',
        expect.stringMatching(/nobody knows it\. Pass a `password` for the backup\.$/),
      )
    }
    await context.close()
    const configPath = join(folder, 'kept', 'sx.config.json')
    await sx.importStore(new TextEncoder().encode(backup), { configPath })
    expect((await sx.load({ configPath, password: 'of the backup, 7', env: {} })).name).toBe('A')
  })

  it('goes from files into a page and back', async () => {
    const configPath = join(folder, 'first', 'sx.config.json')
    const options = { name: 'Zoë', domain: 'example.com', algorithm: 'ed25519', password, env: {} } as const
    const { agentId } = await sx.quickstart({ ...options, configPath })
    const { raw, documentId } = await sx.signMessage({ n: 1, to: '世界 🌍' })
    const backup = new TextDecoder().decode(await sx.exportStore())

    const context = await site.profile()
    const page = await site.probe(context)
    const inPage = await page.evaluate(
      async ([backup, password, documentId]) => {
        const { sx } = window
        const { configPath } = await sx.importStore(new File([backup], 'backup.json'))
        const without = await sx.outcome(() => sx.load())
        const { agentId } = await sx.load({ password })
        const raw = await sx.getDocument(documentId)
        const { valid, trusted } = await sx.verify(raw)
        sx.updateDocumentSync(documentId, { n: 2 }) // still being written when the backup begins
        const again = await sx.outcome(async () => sx.importStore(await sx.exportStore()))
        return {
          configPath,
          without,
          agentId,
          raw,
          valid,
          trusted,
          again,
          backup: await (async () => {
            return new TextDecoder().decode(await sx.exportStore())
          })(),
        }
      },
      [backup, password, documentId] as const,
    )
    expect(inPage).toMatchObject({
      configPath: './sx.config.json',
      without: { code: 'PasswordRequired' },
      agentId,
      raw,
      valid: true,
      trusted: true,
      again: { code: 'AlreadyExists' },
    })
    const other = await site.probe(context) // reads what is stored, not what the first page has in memory
    expect(await other.evaluate((password) => window.sx.load({ password }), password)).toMatchObject({ agentId })
    await context.close()

    const back = join(folder, 'second', 'sx.config.json')
    await sx.importStore(new TextEncoder().encode(inPage.backup), { configPath: back })
    expect((await sx.load({ configPath: back, password })).agentId).toBe(agentId)
    expect(await sx.verifyById(documentId)).toMatchObject({ valid: true, data: { n: 2 } })
    const keyFile = (name: string): string => readFileSync(join(folder, name, 'sx_keys', 'sx.private.pem'), 'utf8')
    expect(keyFile('second')).toBe(keyFile('first'))
  })
})
