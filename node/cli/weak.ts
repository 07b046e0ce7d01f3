/**
 * Passwords that are refused where a private key is encrypted, unless that is asked for (docs/keys.md, "Passwords at the
 * command line"). Nobody can tell that a password is good; these are the ones that a guesser tries first.
 *
 * @module
 */
import type { Command } from 'commander'
import { EXIT, Stop } from './exit.ts'

/** The option that takes any password. */
export interface WeakOptions {
  readonly allowWeakPassword?: boolean
}

/** Adds the option to a command that encrypts a private key. */
export function takesWeak(command: Command): Command {
  return command.option('--allow-weak-password', 'accept a short or well-known password')
}

/** In characters. */
const SHORTEST = 8

/** A part of so many characters or fewer that is said over and over is a repetition. */
const REPEATED = /^(.{1,4}?)\1+.{0,3}$/su

/** What stands side by side on keyboards or in the alphabet. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]

/** Words that lists of stolen passwords begin with; digits and signs may follow. */
const KNOWN =
  /^(?:password|passw0rd|p@ssw0rd|passwort|passphrase|qwerty|qwertz|azerty|letmein|welcome|iloveyou|changeme|default|secret|admin|administrator|trustno|football|baseball|basketball|superman|princess|sunshine|computer|internet|starwars|whatever|monkey|dragon|master|shadow|hello|login|abc|test|user|root|guest|hallo)[\d\W_]*$/iu

/** Whether a text is made of parts of keyboard rows or the alphabet, each of at least four characters. */
function isRuns(text: string): boolean {
  let rest = text.toLowerCase()
  while (rest !== '') {
    const length = runOf(rest)
    if (length < 4) return false
    rest = rest.slice(length)
  }
  return true
}

/** How many characters at the start stand in a row, forwards or backwards. */
function runOf(text: string): number {
  let longest = 0
  for (const row of ROWS.flatMap((one) => [one, Array.from(one).reverse().join('')])) {
    let length = 1
    while (length < text.length && row.includes(text.slice(0, length + 1))) length += 1
    if (length > longest && row.includes(text.slice(0, length))) longest = length
  }
  return longest
}

/** What makes a password weak, as a clause after "it"; `undefined` if nothing that is known here does. */
export function weaknessOf(password: string): string | undefined {
  const { length } = Array.from(password)
  if (length < SHORTEST) return `has fewer than ${SHORTEST} characters`
  if (REPEATED.test(password)) return 'repeats itself'
  if (isRuns(password)) return 'is a sequence of keys, digits or letters'
  if (KNOWN.test(password)) return 'is one of the most common passwords'
  return undefined
}

const HOW = `Choose a password of at least ${SHORTEST} characters that is hard to guess, such as four random words, or pass --allow-weak-password.`

/**
 * Refuses a password that is weak.
 *
 * @throws Stop
 */
export function refuseWeak(password: string, { allowWeakPassword = false }: WeakOptions): void {
  const weakness = allowWeakPassword ? undefined : weaknessOf(password)
  if (weakness === undefined) return
  throw new Stop(EXIT.usage, 'InvalidOption', `The password is weak: it ${weakness}. ${HOW}`)
}
