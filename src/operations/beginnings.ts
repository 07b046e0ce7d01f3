/** Calls of `quickstart` that are under way in this process. */
const underWay = new Set<Beginning>()
/** Passwords that they have generated and that are saved nowhere, by agent. */
const passwords = new Map<string, string>()

/**
 * A call of `quickstart`. Of several at once in one process one creates the agent, and the others load it: with the
 * password that the first one has generated, which nobody else can know.
 */
export class Beginning {
  constructor() {
    underWay.add(this)
  }

  /** Lets the others know the password of an agent that is about to be there. */
  share(agentId: string, password: string): void {
    passwords.set(agentId, password)
  }

  /** The password of an agent that another call has just created. */
  passwordOf(agentId: string): string | undefined {
    return passwords.get(agentId)
  }

  /** With the last one the passwords are forgotten. */
  end(): void {
    underWay.delete(this)
    if (underWay.size === 0) passwords.clear()
  }
}
