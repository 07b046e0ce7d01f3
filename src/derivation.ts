import * as core from '#core'
import { platform } from '#platform'
import { encode } from './bytes.ts'
import { call } from './core.ts'
import { type EffectOf, kind } from './effects.ts'
import type { PlatformDerivation } from './platform.ts'

function byCore(parameters: string, password: Uint8Array): Uint8Array {
  return call(() => core.deriveKey(parameters, password))
}

function check(parameters: string, password: Uint8Array): void {
  call(() => core.checkDerivation(parameters, password.length))
}

function deriveNow({ parameters, password }: EffectOf<'derive'>): Uint8Array {
  const bytes = encode(password)
  try {
    if (platform.derivation?.sync === undefined) return byCore(parameters, bytes)
    check(parameters, bytes)
    return platform.derivation.sync(parameters, bytes) ?? byCore(parameters, bytes)
  } finally {
    bytes.fill(0)
  }
}

async function outside(own: PlatformDerivation, { parameters, password }: EffectOf<'derive'>): Promise<Uint8Array> {
  const bytes = encode(password)
  try {
    check(parameters, bytes)
    return (await own.async(parameters, bytes)) ?? byCore(parameters, bytes)
  } finally {
    bytes.fill(0)
  }
}

const DERIVE = /* @__PURE__ */ kind('derive', {
  async: (effect) => (platform.derivation ? outside(platform.derivation, effect) : deriveNow(effect)),
  sync: deriveNow,
})

/**
 * Derives the key that encrypts a private key at rest (protocol, section 4). It takes long, on purpose: where the runtime
 * has the same derivation of its own, it is that one's. The asynchronous form leaves it to another thread where there is
 * one. What is allowed is the core's to say in either case.
 *
 * @param parameters what the core says of how to derive it, as JSON
 */
export function derive(parameters: string, password: string): EffectOf<'derive'> {
  return { kind: DERIVE, parameters, password }
}
