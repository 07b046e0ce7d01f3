// A new contract: text, parties, deadline.
import { type AgreementTerms, createAgreementDoc, proposeAgreement, SxError } from 'sx-agent/simple'
import { trustedAgents } from '../page/trusted.ts'
import { copyOf, element, onSubmit, show, within } from '../page/view.ts'
import { ownAgent } from './agent.ts'

const form = element('write', HTMLFormElement)
const title = element('write-title-of', HTMLInputElement)
const text = element('write-text', HTMLTextAreaElement)
const parties = element('write-parties', HTMLFieldSetElement)
const deadline = element('write-deadline', HTMLInputElement)

/** @param proposed is handed the agreement */
export function startWriting(proposed: (raw: string) => Promise<void>): void {
  onSubmit(form, element('write-problem', HTMLElement), async () => {
    // Nothing is stored before it is proposed.
    const draft = await createAgreementDoc(terms(), { noSave: true })
    const { raw } = await proposeAgreement(draft.raw)
    form.reset()
    await proposed(raw)
  })
}

function terms(): AgreementTerms {
  const { name, agentId } = ownAgent()
  const chosen = chosenAgents()
  const others = trustedAgents().filter(({ sxId }) => chosen.has(sxId))
  if (others.length === 0) throw new SxError('InvalidOption', 'Nobody is chosen who signs with you.')
  const signBy = deadlineOf()
  return {
    title: title.value,
    terms: text.value,
    termsFormat: 'text/plain',
    parties: [{ agentId, name }, ...others.map(({ sxId, name }) => ({ agentId: sxId, name }))].map((party) => ({
      partyId: party.agentId,
      agentId: party.agentId,
      role: 'signer',
      displayName: party.name,
    })),
    ...(signBy === undefined ? {} : { policy: { signBy } }),
  }
}

function deadlineOf(): string | undefined {
  if (deadline.value === '') return undefined
  const at = new Date(deadline.value) // in the time zone of the person
  if (at.getTime() <= Date.now()) throw new SxError('InvalidOption', 'The deadline has passed already.')
  return at.toISOString()
}

const boxes = (): HTMLInputElement[] => [...parties.querySelectorAll<HTMLInputElement>('input')]
const chosenAgents = (): ReadonlySet<string> => new Set(boxes().flatMap((box) => (box.checked ? [box.value] : [])))

/** Offers those who are trusted now. */
export function showChoices(): void {
  const chosen = chosenAgents()
  for (const label of parties.querySelectorAll('label')) label.remove()
  const agents = trustedAgents()
  element('write-nobody', HTMLElement).hidden = agents.length > 0
  for (const { sxId, name, sxSignature } of agents) {
    const made = copyOf('party-choice')
    const box = within(made, 'input', HTMLInputElement)
    box.value = sxId
    box.checked = chosen.has(sxId)
    show(within(made, '.name', HTMLElement), name)
    show(within(made, '.key-id', HTMLElement), sxSignature.keyId)
    parties.append(made)
  }
}
