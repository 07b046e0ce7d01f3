/** The variables of the environment that the command line reads, as `--help` names them. */

/** Every variable, with what it is for. */
export const VARIABLES = {
  SX_PRIVATE_KEY_PASSWORD: 'password of the private key',
  SX_PASSWORD_FILE: 'file with the password',
  SX_SAVE_PASSWORD_FILE: 'true: quickstart generates a password and saves it',
  SX_NEW_PASSWORD_FILE: 'file with the new password, for reencrypt-key',
  NO_COLOR: 'any value: no colours',
  FORCE_COLOR: 'any value but 0 and false: always colours',
  TERM: 'dumb: no colours',
} as const satisfies Readonly<Record<string, string>>

/** The name of a variable. */
export type Variable = keyof typeof VARIABLES

/** Those that a command reads which opens the private key. */
export const PASSWORD_VARIABLES: readonly Variable[] = ['SX_PRIVATE_KEY_PASSWORD', 'SX_PASSWORD_FILE']

const NAMES = Object.keys(VARIABLES) as Variable[]
const WIDTH = Math.max(...NAMES.map((name) => name.length))

/** A section of a help text about some variables, or all of them. */
export function variablesHelp(names: readonly Variable[] = NAMES): string {
  const lines = names.map((name) => `  ${name.padEnd(WIDTH)}  ${VARIABLES[name]}`)
  return `\nEnvironment:\n${lines.join('\n')}`
}
