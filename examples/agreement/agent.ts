// The person's own agent: the one that the page for signed documents has, too.
import { create, exportAgent, getAgentInfo, load, SxError, type SxErrorCode } from 'sx-agent/simple'
import { save } from '../page/save.ts'
import { sentence } from '../page/verdicts.ts'
import { announce, element, onPress, onSubmit, show, shown } from '../page/view.ts'
import { fileName } from './files.ts'

const form = element('create', HTMLFormElement)
const own = element('own', HTMLElement)
const progress = element('create-progress', HTMLElement)
const problem = element('agent-problem', HTMLElement)

/** What the other page has forms for. */
const ELSEWHERE: ReadonlySet<SxErrorCode> = new Set(['AgentLost', 'PasswordRequired'])

/**
 * Loads the agent, or offers to create one.
 *
 * @param ready is called when there is one
 */
export async function startAgent(ready: () => void): Promise<void> {
  const needs = [...document.querySelectorAll<HTMLElement>('.needs-agent')]
  const enter = (): void => {
    const { name, agentId, keyId } = ownAgent()
    show(element('own-name', HTMLElement), name)
    show(element('own-id', HTMLElement), agentId)
    show(element('own-key-id', HTMLElement), keyId)
    for (const hint of needs) hint.hidden = true
    for (const button of document.querySelectorAll<HTMLButtonElement>('button:disabled')) button.disabled = false
    form.hidden = true
    own.hidden = false
    ready()
  }
  onSubmit(form, problem, async () => {
    progress.textContent = 'Generating and encrypting the key. This takes a moment…'
    announce(progress.textContent)
    try {
      await shown()
      await create({ name: element('create-name', HTMLInputElement).value })
    } finally {
      progress.textContent = ''
      announce('')
    }
    void navigator.storage.persist() // some browsers ask the person, so nothing waits for the answer
    enter()
    own.focus() // the button is gone
  })
  onPress(element('save-agent', HTMLButtonElement), problem, () =>
    save(exportAgent(), `${fileName(ownAgent().name, 'agent')}.agent.json`),
  )
  try {
    if (!isSecureContext) throw new SxError('Unsupported', 'This page can store a key only at https or at localhost.')
    await load()
    enter()
  } catch (error) {
    const code = error instanceof SxError ? error.code : undefined
    for (const hint of needs) hint.hidden = false
    form.hidden = code !== 'NotFound'
    element('elsewhere', HTMLElement).hidden = code === undefined || !ELSEWHERE.has(code)
    if (code !== 'NotFound') show(problem, sentence(error))
  } finally {
    element('agent-loading', HTMLElement).hidden = true
  }
}

/** @throws SxError `NoAgentLoaded` */
export function ownAgent(): NonNullable<ReturnType<typeof getAgentInfo>> {
  const info = getAgentInfo()
  if (info === null) throw new SxError('NoAgentLoaded')
  return info
}
