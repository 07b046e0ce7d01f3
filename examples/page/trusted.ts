// The list of the agents that this one trusts.
import { flush, getTrustedAgent, isLoaded, listTrustedAgents, untrustAgent } from 'sx-agent/simple'
import type { AgentDocument } from './candidate.ts'
import { copyOf, element, onPress, show, within } from './view.ts'

const list = element('trusted', HTMLUListElement)
const problem = element('trust-problem', HTMLElement)

let whenRemoved = (): void => {}

/** @param removed is called when an agent is no longer in the list */
export function startListing(removed: () => void): void {
  whenRemoved = removed
  // Another tab of this page may have changed the list.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') showTrusted()
  })
}

/** Shows the list as it is in the storage. */
export function showTrusted(): void {
  if (!isLoaded()) return
  const agents = trustedAgents()
  list.replaceChildren(...agents.map(item))
  element('trusted-none', HTMLElement).hidden = agents.length > 0
}

/** The agent documents of those that are in the list. */
export function trustedAgents(): AgentDocument[] {
  return listTrustedAgents().map((agentId) => JSON.parse(getTrustedAgent(agentId)) as AgentDocument)
}

function item({ sxId, name, sxSignature }: AgentDocument): HTMLElement {
  const made = copyOf('trusted-item')
  made.dataset['agent'] = sxId
  show(within(made, '.name', HTMLElement), name)
  show(within(made, '.key-id', HTMLElement), sxSignature.keyId)
  const remove = within(made, 'button', HTMLButtonElement)
  within(made, '.name', HTMLElement).id = `name-${sxId}`
  remove.setAttribute('aria-describedby', `name-${sxId}`)
  onPress(remove, problem, async () => {
    untrustAgent(sxId)
    await flush()
    showTrusted()
    whenRemoved()
  })
  return made
}
