// The record of a complete agreement, as JSON and as a page.
import { describe, expect, it } from 'vitest'
import { type CertificatePage, certificatePage } from '../../src/agreements/certificate.ts'
import { SxAgent } from '../../src/index.ts'
import { type AgreementCertificate, create } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/index.ts'

const NASTY = `<script>alert(1)</script> & "'\u202e\u0007`
const SHOWN = '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;&#39;<mark>U+202E</mark><mark>U+0007</mark>'

describe('agreementCertificate', () => {
  it('is there once the agreement is complete, in both forms', async () => {
    const [storage, password] = [memoryStorage(), 'correct horse battery staple']
    await create({ name: 'Alice', storage, password, algorithm: 'ed25519' })
    const agent = new SxAgent({ storage, password })
    await agent.load('./sx.config.json')
    const { agentId = '' } = agent.getAgentInfo() ?? {}
    const parties = [{ partyId: 'me', agentId, role: 'signer', displayName: NASTY }] as const
    const terms = { title: NASTY, terms: NASTY, termsFormat: 'text/plain', parties } as const
    const { agreementId } = await agent.createAgreementDoc(terms)
    const { raw } = await agent.proposeAgreement(agreementId)
    await expect(agent.agreementCertificate(raw)).rejects.toMatchObject({
      code: 'InvalidAgreement',
      found: "The agreement is not complete. Its status is 'proposed'.",
    })
    const signed = await agent.signAgreementDoc(agreementId)
    const certificate = JSON.parse(await agent.agreementCertificate(signed.raw)) as AgreementCertificate
    expect(certificate).toEqual((await agent.verifyAgreement(agreementId)).certificate)
    const [line] = certificate.lines
    expect(line).toMatchObject({ agentId, eventId: signed.eventId, at: signed.timestamp, algorithm: 'ed25519' })
    const page = await agent.agreementCertificate(agreementId, { format: 'html' })
    for (const fact of [agentId, line?.keyId, signed.eventId, signed.timestamp, signed.agreementHash, agreementId]) {
      expect(page).toContain(fact)
    }
    expect(page).toContain('<dt>Key trusted</dt><dd>yes, by')
    expect(page).toContain(`<h1 dir="auto">${SHOWN}</h1>`)
    await expect(agent.agreementCertificate(raw, { format: 'pdf' as 'html' })).rejects.toMatchObject({
      code: 'InvalidOption',
    })
    const copy = JSON.parse(signed.raw) as { events: { type: string }[] }
    const events = copy.events.filter(({ type }) => type === 'sign')
    const other = new SxAgent({ storage: memoryStorage(), password })
    await expect(other.agreementCertificate(signed.raw)).rejects.toMatchObject({ code: 'NoAgentLoaded' })
    const elsewhere = memoryStorage()
    await create({ name: 'Bob', storage: elsewhere, password, algorithm: 'ed25519' })
    await other.close()
    const bob = new SxAgent({ storage: elsewhere, password })
    await bob.load('./sx.config.json')
    bob.trustAgent(agent.exportAgent())
    expect(bob.agreementCertificateSync(signed.raw)).toBe(await agent.agreementCertificate(agreementId))
    const lacking = JSON.stringify({ ...copy, events })
    await expect(bob.agreementCertificate(lacking)).rejects.toMatchObject({ code: 'InvalidAgreement' })
  })
})

describe('the page', () => {
  const page: CertificatePage = {
    certificate: {
      title: NASTY,
      sxId: NASTY,
      agreementHash: NASTY,
      completeAt: NASTY,
      lines: [
        {
          partyId: NASTY,
          agentId: NASTY,
          by: 'other',
          displayName: null,
          role: 'signer',
          keyId: NASTY,
          algorithm: NASTY,
          at: NASTY,
          timeProof: NASTY,
          eventId: NASTY,
        },
      ],
    },
    terms: {
      title: NASTY,
      summary: NASTY,
      terms: `${NASTY}\nSecond line`,
      termsFormat: 'text/plain',
      attachments: [{ name: NASTY, mediaType: NASTY, size: 4, sha256: NASTY }],
      parties: [],
    },
    status: 'active',
    at: NASTY,
    trusted: new Set(),
    unproved: [{ partyId: NASTY, by: NASTY, at: NASTY, eventId: NASTY }],
  }
  const html = certificatePage(page)

  it('escapes whatever comes from somebody else, once', () => {
    expect(html).not.toContain('<script')
    expect(html).not.toContain('&amp;lt;')
    expect(html.split(SHOWN).length - 1).toBeGreaterThanOrEqual(16)
    const [, name = ''] = /<title>(.*)<\/title>/.exec(html) ?? []
    expect(name).toBe(`Certificate of completion: ${SHOWN.replaceAll(/<mark>.*?<\/mark>/g, '\ufffd')}`)
    const others = html.replace(name, '').replaceAll(SHOWN, '')
    for (const unsafe of ['alert', '\u202e', '\u0007']) expect(others).not.toContain(unsafe)
  })

  const shownAs = (title: string): string | undefined =>
    /<h1 dir="auto">(.*)<\/h1>/u.exec(certificatePage({ ...page, certificate: { ...page.certificate, title } }))?.[1]

  it('names what nobody sees', () => {
    for (const unseen of [
      '\u200b',
      '\u00ad',
      '\ufeff',
      '\u{e0041}',
      '\u200c',
      '\u200d',
      '\ufe0f',
      '\u3164',
      '\u2028',
      '\ue000',
    ]) {
      const name = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      expect(shownAs(`pay${unseen}pal`)).toBe(`pay<mark>U+${name}</mark>pal`)
    }
  })

  it('leaves joiners and forms of emoji where they are seen', () => {
    for (const title of ['👩‍💻 ❤️ 👨‍👩‍👧 👩🏽‍🚒 1️⃣', 'می‌خواهم', 'क्‍ष', 'Zoë, 世界']) expect(shownAs(title)).toBe(title)
  })

  it('calls a party by its id if its name is blank', () => {
    const [line] = page.certificate.lines
    if (line === undefined) throw new Error('There is no line.')
    const lines = [{ ...line, partyId: 'alice', displayName: ' ' }]
    expect(certificatePage({ ...page, certificate: { ...page.certificate, lines } })).toContain(
      '<h3 dir="auto">alice</h3>',
    )
  })

  it('loads nothing and runs nothing', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/<(?:script|link|img|iframe|object|form|a|svg)\b|\bon\w+=|url\(|@import|https?:/i)
  })

  it('is well-formed: each element ends, in order', () => {
    const open: string[] = []
    for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z]\w*)[^>]*>/g)) {
      if (slash === '') {
        if (name !== 'meta') open.push(name)
      } else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
  })

  it('calls a key trusted only if the party that a delegate acted for is, too', () => {
    for (const [trusted, said] of [
      [['other'], 'no'],
      [[NASTY], 'no'],
      [['other', NASTY], 'yes'],
    ] as const) {
      const shown = certificatePage({ ...page, trusted: new Set(trusted) })
      expect(shown).toContain(`<dt>Key trusted</dt><dd>${said}, by`)
    }
  })

  it('says who acted for whom, and that a key is not trusted', () => {
    expect(html).toContain('<dt>Signed for it by</dt><dd><code>other</code></dd>')
    expect(html).toContain('<dt>Key trusted</dt><dd>no, by')
  })
})
