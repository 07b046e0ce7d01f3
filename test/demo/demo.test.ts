// The demo, as `npm run demo` runs it after the set-up: it checks what it shows by itself, and twice in a row.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HANGING } from '../pace.ts'

const demo = fileURLToPath(new URL('../../examples/demo.mjs', import.meta.url))
const out = fileURLToPath(new URL('../../examples/demo-out', import.meta.url))
const hasOpenssl = /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '')

function run(env: NodeJS.ProcessEnv = process.env): { exit: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [demo], { encoding: 'utf8', env, timeout: HANGING })
  return { exit: status, stdout, stderr }
}

describe('the demo', () => {
  const clear = (): void => rmSync(out, { recursive: true, force: true })
  beforeAll(clear)
  afterAll(clear)

  let described: string | undefined

  it.each([
    ['creates its agents', /^ {2}(buyer {3}pq2025 |seller {2}ed25519) .* created /gm],
    ['finds them again', /^ {2}(buyer {3}pq2025 |seller {2}ed25519) .* loaded /gm],
  ])('%s, and all is as expected', (_, agents) => {
    const { exit, stdout, stderr } = run()
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout.match(agents)).toHaveLength(2)
    expect(stdout).toMatch(/^ {2}dataset\.json +1\.\d\d MB .* ok .* ok$/m)
    expect(stdout).toMatch(/unknown seller +UnknownSigner +false +ok/)
    expect(stdout).toMatch(/after trustAgent +valid +true +ok/)
    expect(stdout).toMatch(/verifyById, latest +paid +ok/)
    expect(stdout.match(/ ok +(BadSignature|DuplicateKey|InvalidDocument|KeyMismatch): /g)).toHaveLength(7)
    expect(stdout).toMatch(/^All as expected\.$/m)
    expect(stdout).not.toContain('FAILED')
    const openssl = /^OpenSSL [3-9]\S+ looks at[^]*password opens the private key +true +ok[^]*text verifies +true +ok/m
    expect(openssl.test(stdout)).toBe(hasOpenssl)
    const dataset = readFileSync(`${out}/dataset.json`, 'utf8')
    expect(dataset).toBe(described ?? dataset) // the same in every run
    described = dataset
  })

  it('says so where there is no openssl, and takes no password from outside', () => {
    const { exit, stdout } = run({ PATH: '', SX_PRIVATE_KEY_PASSWORD: 'of somebody else' })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^OpenSSL: SKIPPED, .+ is not installed\. Install it: (sudo apt-get|brew) install \S/m)
  })
})
