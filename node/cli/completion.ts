/**
 * `sx completion`: what a shell needs to complete commands and options, made from the commands themselves.
 *
 * @module
 */
import { Argument, type Command, type Option } from 'commander'
import { define, type Options } from './command.ts'
import { IDS_COMMAND, TAKES_IDS } from './ids.ts'
import { DEFAULT_CONFIG_PATH } from './places.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** Adds the command to the program, whose commands it knows when it runs. */
export function addCompletionCommand(program: Command): void {
  const completion = program.command('completion').summary('print a completion script for a shell')
  completion
    .description(
      'Prints a script that completes commands, options and stored ids (trusted agents, earlier keys, ' +
        'documents, agreements) in a shell. Other arguments complete to file names.',
    )
    .addArgument(new Argument('<shell>', 'name of the shell').choices(['bash', 'zsh', 'fish']))
  define<Options>(
    completion,
    ['eval "$(sx completion bash)"', 'sx completion fish > ~/.config/fish/completions/sx.fish'],
    async (_options, [shell]) => {
      const script = SCRIPTS[shell as Shell](program)
      return { json: { shell, script }, data: script }
    },
  )
}

/** A command with the words that lead to it. */
interface Place {
  readonly path: string
  readonly command: Command
}

const visible = ({ commands }: Command): Command[] => commands.filter((next) => next.name() !== IDS_COMMAND)

function places(command: Command, path = command.name()): Place[] {
  return [{ path, command }, ...visible(command).flatMap((next) => places(next, `${path} ${next.name()}`))]
}

/** The options that every command takes. */
const common = (program: Command): Option[] => program.createHelp().visibleOptions(program)

const namesOf = ({ short, long }: Option): string[] => [short, long].filter((name) => name !== undefined)

const takesValue = ({ required, optional }: Option): boolean => required || optional

/** What can stand at a place without a dash: commands, or the values that an argument may have. */
function wordsAt({ command }: Place): readonly string[] {
  if (command.commands.length > 0) return visible(command).map((next) => next.name())
  return command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
}

/** The kind of the ids that a command takes first. */
const idsAt = ({ path }: Place): string | undefined => TAKES_IDS[path.split(' ').slice(1).join(' ')]

/** What is known of all commands together. */
function surveyOf(program: Command): { all: Place[]; paths: string[]; valued: Option[] } {
  const all = places(program)
  const options = [...common(program), ...all.flatMap(({ command }) => command.options)]
  return { all, paths: all.slice(1).map(({ path }) => path), valued: options.filter(takesValue) }
}

const unique = (words: readonly string[]): string[] => [...new Set(words)]

/** Alternatives of a `case` in bash and zsh, each quoted; some after a `*`. */
const patterns = (words: readonly string[], before = ''): string => words.map((word) => `${before}'${word}'`).join('|')

/** Says what the word under the cursor can become; bash and zsh both read it. Nothing means file names. */
function candidates(program: Command): string {
  const { all, paths, valued } = surveyOf(program)
  const choices = valued.flatMap((option) =>
    option.argChoices === undefined
      ? []
      : [`    ${patterns(namesOf(option))}) printf '%s\\n' '${option.argChoices.join(' ')}'; return ;;`],
  )
  const answers = all.flatMap((place) => {
    const options = [...place.command.options, ...common(program)].flatMap(namesOf)
    const words = wordsAt(place)
    const ids = idsAt(place)
    return [
      `    '${place.path}|-'*) printf '%s\\n' '${unique(options).join(' ')}' ;;`,
      ...(ids === undefined ? [] : [`    '${place.path}|'*) __sx_ids ${ids} ;;`]),
      ...(words.length > 0 ? [`    '${place.path}|'*) printf '%s\\n' '${words.join(' ')}' ;;`] : []),
    ]
  })
  return `# The program, the word under the cursor, then those before it without the program.
__sx_candidates() {
  local program="$1" current="$2" at='${program.name()}' value='' config='' given=0 word
  shift 2
  for word in "$@"; do
    if [ -n "$value" ]; then
      if [ "$value" = --config ]; then config="$word"; fi
      value=''
      continue
    fi
    case "$at $word" in
      ${patterns(paths)}) at="$at $word" ;;
      *' --') return ;;
      *' --config='*) config="\${word#*=}" ;;
      ${patterns(
        unique(valued.flatMap(namesOf)).map((name) => ` ${name}`),
        '*',
      )}) value="$word" ;;
      *' -'*) ;;
      *) given=$((given + 1)) ;;
    esac
  done
  case "$value" in
    '') ;;
${choices.join('\n')}
    *) return ;;
  esac
  case "$at|$current" in
${answers.join('\n')}
  esac
}

# Ids of what is stored, for the first word after a command; the variables are those of the caller.
__sx_ids() {
  if [ "$given" -eq 0 ]; then "$program" ${IDS_COMMAND} "$1" --config "\${config:-${DEFAULT_CONFIG_PATH}}" 2>/dev/null; fi
}
`
}

const bash = (program: Command): string => `${candidates(program)}
_sx() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(__sx_candidates "\${COMP_WORDS[0]}" "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$current"))
}
complete -o default -F _sx ${program.name()}
`

const zsh = (program: Command): string => `${candidates(program)}
_sx() {
  local -a found
  found=($(__sx_candidates "$words[1]" "$words[CURRENT]" "\${(@)words[2,CURRENT-1]}"))
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _sx ${program.name()}
`

/** A text as one word of fish. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

function fishOption(option: Option): string {
  const { short, long, argChoices, description } = option
  const flags = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`].filter(Boolean).join(' ')
  const values = argChoices === undefined ? ' -r -F' : ` -x -a ${quoted(argChoices.join(' '))}`
  return `${flags}${takesValue(option) ? values : ''} -d ${quoted(description)}`
}

function fish(program: Command): string {
  const { all, paths, valued } = surveyOf(program)
  const name = program.name()
  const lines = all.flatMap((place) => {
    const at = `complete -c ${name} -n '__sx_at ${place.path}'`
    const { command } = place
    const ids = idsAt(place)
    const offered = ids === undefined ? [] : [`${at} -f -a '(__sx_ids ${ids})'`]
    const words = wordsAt(place).map((word) => {
      const next = command.commands.find((other) => other.name() === word)
      return `${at} -f -a ${word}${next === undefined ? '' : ` -d ${quoted(next.summary() || next.description())}`}`
    })
    return command === program
      ? words
      : [...offered, ...words, ...command.options.map((option) => `${at} ${fishOption(option)}`)]
  })
  const ends = unique(valued.flatMap(namesOf)).map((option) => quoted(`* ${option}`))
  return `# Whether the words before the cursor lead to this command.
function __sx_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l at ${name}
  set -l value ''
  for word in $words
    if test -n "$value"
      set value ''
      continue
    end
    switch "$at $word"
      case ${paths.map(quoted).join(' ')}
        set at "$at $word"
      case '* --'
        return 1
      case ${ends.join(' ')}
        set value $word
    end
  end
  test "$at" = "$argv"
end
# Ids of what is stored, for the first word after a command of that many words.
function __sx_ids
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l config ${DEFAULT_CONFIG_PATH}
  set -l value ''
  set -l given 0
  set -l at ${name}
  for word in $words
    if test -n "$value"
      test "$value" = --config; and set config $word
      set value ''
      continue
    end
    switch "$at $word"
      case ${paths.map(quoted).join(' ')}
        set at "$at $word"
      case '* --config=*'
        set config (string replace -- --config= '' $word)
      case ${ends.join(' ')}
        set value $word
      case '* -*'
      case '*'
        set given (math $given + 1)
    end
  end
  test $given -eq 0; and type -q $program; and $program ${IDS_COMMAND} $argv --config $config 2>/dev/null
end
${[...common(program).map((option) => `complete -c ${name} ${fishOption(option)}`), ...lines].join('\n')}
`
}

const SCRIPTS: Readonly<Record<Shell, (program: Command) => string>> = { bash, zsh, fish }
