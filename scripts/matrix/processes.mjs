// Programs that run while something else is waited for.
import { spawn } from 'node:child_process'

/** The end of what a program printed. */
const tail = (text) => text.trim().split('\n').slice(-20).join('\n')

/** A program that takes longer hangs. No run may fail because the machine is busy: the slowest takes some minutes. */
export const SECONDS = 1800

/** Runs a program to its end; gives what it prints. */
export async function finish(command, args, options = {}) {
  const { ended, output, stop } = begin(command, args, options)
  const timer = setTimeout(() => stop(`no end within ${SECONDS} seconds`), SECONDS * 1000)
  try {
    await ended
    return output()
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a program; `ended` resolves when it has, and rejects unless it ends well. */
export function begin(command, args, options = {}) {
  const { stdio = ['ignore', 'pipe', 'pipe'] } = options
  // A group of its own: browsers start others, which have to end with them.
  const child = spawn(command, args, { ...options, stdio, detached: process.platform !== 'win32' })
  let text = ''
  let reason
  let isOver = false
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (more) => (text += more))
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      isOver = true
      process.removeListener('exit', atExit)
      if (code === 0 && reason === undefined) resolve()
      else reject(new Error(`${command}: ${reason ?? signal ?? `exit status ${code}`}\n${tail(text)}`))
    })
  })
  ended.catch(() => {}) // whoever stops it does not wait
  const stop = (why = 'stopped') => {
    reason ??= why
    if (isOver || child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  const atExit = () => stop()
  process.once('exit', atExit)
  return { child, ended, output: () => text, stop }
}
