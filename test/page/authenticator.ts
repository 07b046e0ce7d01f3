// An authenticator that Chromium plays, for one tab and its frames.
import type { CDPSession, Page } from 'playwright'

export class Authenticator {
  readonly #session: CDPSession
  readonly #id: string

  private constructor(session: CDPSession, id: string) {
    this.#session = session
    this.#id = id
  }

  /** Puts one into a tab. */
  static async plug(
    page: Page,
    { hasPrf = true, transport = 'internal' }: { hasPrf?: boolean; transport?: 'internal' | 'usb' } = {},
  ): Promise<Authenticator> {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        hasPrf,
      },
    })
    return new Authenticator(session, authenticatorId)
  }

  /** Whether the person confirms, when asked. Otherwise the browser waits for it in vain. */
  async confirm(enabled: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled })
  }

  /** Has it not recognise its owner. After that it does not for a while. */
  async mistake(): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified: false })
  }

  /** The passkeys on it: who they are for, and their names. */
  async passkeys(): Promise<{ rpId: string | undefined; name: string | undefined; id: string }[]> {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', { authenticatorId: this.#id })
    return credentials.map(({ rpId, userName, credentialId }) => ({ rpId, name: userName, id: credentialId }))
  }

  /** Removes all passkeys, as a person can. */
  async clear(): Promise<void> {
    await this.#session.send('WebAuthn.clearCredentials', { authenticatorId: this.#id })
  }

  /** Takes it out of the tab, with its passkeys. */
  async unplug(): Promise<void> {
    await this.#session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#id })
  }
}
