/** Asking people: on the terminal that the program was started from, whatever its streams are connected with. */
import { openSync, writeSync } from 'node:fs'
import { kill, pid, platform, stderr, stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream } from 'node:tty'

interface Terminal {
  readonly input: ReadStream
  readonly write: (text: string) => void
  readonly close: () => void
}

/** What somebody typed; '' for nothing. */
type Answer = string

function openTerminal(): Terminal | undefined {
  const fd = openControlling()
  if (fd === undefined) {
    if (!stdin.isTTY || !stderr.isTTY) return undefined
    return { input: stdin, write: (text) => void stderr.write(text), close: () => {} }
  }
  const input = new ReadStream(fd)
  return { input, write: (text) => void writeSync(fd, text), close: () => void input.destroy() }
}

/** The terminal that the process belongs to, if it does. Windows has another name for it, and none that works. */
function openControlling(): number | undefined {
  if (platform === 'win32') return undefined
  try {
    return openSync('/dev/tty', 'r+')
  } catch {
    return undefined // a service, a container or a job of CI has none
  }
}

/**
 * Asks for one line, without echo. Ctrl-C ends the program as if nothing had been caught: by SIGINT, and silently.
 *
 * @returns `undefined` where there is nobody to ask
 */
export async function ask(question: string): Promise<Answer | undefined> {
  const terminal = openTerminal()
  if (terminal === undefined) return undefined
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.input, output: muted, terminal: true, historySize: 0 })
  terminal.write(question)
  try {
    return await new Promise<Answer>((resolve) => {
      lines.once('line', resolve)
      lines.once('close', () => resolve('')) // Ctrl-D
      lines.once('SIGINT', () => {
        lines.close() // gives the terminal its echo back
        terminal.write('\n')
        kill(pid, 'SIGINT')
      })
    })
  } finally {
    lines.close()
    terminal.write('\n')
    terminal.close()
  }
}

/**
 * Asks for one line that the terminal shows and edits while it is typed. Ctrl-C ends the program by SIGINT.
 *
 * @returns `undefined` where there is nobody to ask
 */
export async function askAloud(question: string): Promise<Answer | undefined> {
  const terminal = openTerminal()
  if (terminal === undefined) return undefined
  const lines = createInterface({ input: terminal.input, terminal: false })
  terminal.write(question)
  try {
    return await new Promise<Answer>((resolve) => {
      lines.once('line', resolve)
      lines.once('close', () => {
        terminal.write('\n') // Ctrl-D
        resolve('')
      })
    })
  } finally {
    lines.removeAllListeners('close')
    lines.close()
    terminal.close()
  }
}
