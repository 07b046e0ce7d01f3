import { type Actor, type Call, isOpen, type Model } from '../history.ts'
import { documentOf, historyOf, keysAtRest, namedAgents, publicKeyFiles } from '../layout.ts'
import type { World } from '../world.ts'

interface Entry {
  readonly keyId: string
  readonly publicKey: string
}

const keysIn = (raw: string): Entry[] => (JSON.parse(raw) as { sxPublicKeys: Entry[] }).sxPublicKeys

/** The agent's keys: each comes by one call, and in the end one private key is left. */
export class Rotations implements Model {
  readonly #world: World
  readonly #agentId: string
  #count: number
  readonly #isElsewhere: (keyId: string | undefined) => boolean

  /** @param isElsewhere whether a private key is with an external signer */
  constructor(world: World, isElsewhere: (keyId: string | undefined) => boolean = () => false) {
    this.#isElsewhere = isElsewhere
    this.#world = world
    this.#agentId = namedAgents(world.disk)[0] ?? ''
    this.#count = this.#keys.length
  }

  get #keys(): Entry[] {
    return keysIn(historyOf(this.#world.disk, this.#agentId).at(-1) ?? '{"sxPublicKeys":[]}')
  }

  changed(path: string, by: Actor | undefined): void {
    if (documentOf(path) !== this.#agentId) return
    const count = this.#keys.length
    if (count === this.#count) return
    if (count !== this.#count + 1) this.#world.violate('one winner', `${this.#count} keys became ${count}.`)
    this.#count = count
    const calls = this.#world.calls.filter(({ name, actor }) => name === 'rotateKey' && actor === by)
    if (calls.some(isOpen)) return
    this.#world.violate('done while it is called', `${by?.name ?? 'nobody'} has a new key without a call.`)
  }

  ended(call: Call): void {
    if (call.name !== 'rotateKey' || call.state !== 'done') return
    const { raw } = call.value as { raw: string }
    const last = keysIn(raw).at(-1)?.keyId
    if (this.#keys.some(({ keyId }) => keyId === last)) return
    this.#world.violate('what was reported is stored', `#${call.number} has rotated to ${last}, which is no key.`)
  }

  closing(): void {
    const { disk } = this.#world
    const current = this.#keys.at(-1)
    const { left, waiting } = keysAtRest(disk)
    const number = historyOf(disk, this.#agentId).length
    if (left !== (this.#isElsewhere(current?.keyId) ? 0 : 1)) {
      this.#world.violate('one private key', `in the end there are ${left}.`)
    }
    if (waiting.some((one) => one <= number)) this.#world.violate('one private key', 'in the end one waits in vain.')
    for (const pem of publicKeyFiles(disk, this.#agentId)) {
      if (pem !== current?.publicKey) this.#world.violate('public keys follow', 'in the end a file holds another one.')
    }
  }
}
