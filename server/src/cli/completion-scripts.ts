/** Scripts that complete the command line of Patchbay in a shell, from a description of its commands. */

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export interface CompletableCommand {
  name: string
  summary: string
  options: readonly { name: string; description: string; hasValue: boolean }[]
  /** The values that its argument can have. Empty if it has no argument, or one with any value, such as a file. */
  values: readonly string[]
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const listCandidates = ({ options, values }: CompletableCommand): string =>
  [...values, ...options.map(({ name }) => name)].join(' ')

/** If nothing fits, bash completes the names of files. */
const bash = (commands: readonly CompletableCommand[]): string => `# Completion of patchbay for bash.
_patchbay() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if ((COMP_CWORD == 1)); then
    words='${commands.map(({ name }) => name).join(' ')}'
  else
    case \${COMP_WORDS[1]} in
${commands.map((command) => `      ${command.name}) words='${listCandidates(command)}' ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _patchbay patchbay
`

/** \`_arguments\` gives brackets and colons a meaning. */
const escapeSpec = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`)

const zshSpecs = ({ options, values }: CompletableCommand): string =>
  [
    ...options.map(({ name, description, hasValue }) =>
      quote(`${name}[${escapeSpec(description)}]${hasValue ? ':value:_files' : ''}`),
    ),
    quote(values.length > 0 ? `1:value:(${values.join(' ')})` : '*:file:_files'),
  ].join(' ')

/** The script works as a file `_patchbay` of `fpath`, and with `source`. */
const zsh = (commands: readonly CompletableCommand[]): string => `#compdef patchbay
# Completion of patchbay for zsh.
_patchbay() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${escapeSpec(summary)}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map((command) => `    ${command.name}) _arguments ${zshSpecs(command)} ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = _patchbay ]; then _patchbay "$@"; else compdef _patchbay patchbay; fi
`

const fishLines = ({ name, summary, options, values }: CompletableCommand): string[] => {
  const afterCommand = `complete -c patchbay -n ${quote(`__fish_seen_subcommand_from ${name}`)}`
  return [
    `complete -c patchbay -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(values.length > 0 ? [`${afterCommand} -f -a ${quote(values.join(' '))}`] : []),
    ...options.map(
      (option) =>
        `${afterCommand} -l ${option.name.replace(/^--/, '')}${option.hasValue ? ' -r' : ''} -d ${quote(option.description)}`,
    ),
  ]
}

const fish = (commands: readonly CompletableCommand[]): string =>
  ['# Completion of patchbay for fish.', ...commands.flatMap(fishLines), ''].join('\n')

/** Creates the script for a shell. */
export const completionScripts: Readonly<Record<Shell, (commands: readonly CompletableCommand[]) => string>> = {
  bash,
  zsh,
  fish,
}
