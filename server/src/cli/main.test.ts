import type { Command } from 'commander'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listCompletions } from './completion.ts'
import { completionScripts } from './completion-scripts.ts'
import { createProgram } from './main.ts'

const reference = fileURLToPath(new URL('../../../docs/reference/cli.md', import.meta.url))

const program = await createProgram()

/** Returns what `--help` prints on a screen of 80 columns. */
const renderHelp = (command: Command): string => {
  let text = ''
  command.configureHelp({ helpWidth: 80 }).configureOutput({ writeOut: (part) => void (text += part) })
  command.outputHelp()
  return text.trimEnd()
}

/** A block of the reference with the help of a command. The first line names it: ```text help start. */
const helpBlock = /(?<=^```text help ([\w-]+)\n)[^]*?(?=^```$)/gm

test('the reference shows the help of every command', async () => {
  const page = readFileSync(reference, 'utf8')
  const documented = [...page.matchAll(helpBlock)].map(([, name]) => name)
  expect(documented).toEqual(program.commands.map((command) => command.name()))
  const help = new Map(program.commands.map((command) => [command.name(), `${renderHelp(command)}\n`]))
  // `vitest run -u` writes the page.
  await expect(page.replaceAll(helpBlock, (_block, name: string) => help.get(name) ?? '')).toMatchFileSnapshot(
    reference,
  )
})

test('every command has a summary without a period, and a description of whole sentences', () => {
  const descriptions = program.commands.map((command) => `${command.summary()}|${command.description()}`)
  expect(descriptions.filter((text) => !/^[a-z][^|]*[^.|]\|[A-Z].*\.$/.test(text))).toEqual([])
})

/** Returns what bash offers for a command line whose last word is incomplete. */
const completeInBash = (commandLine: readonly string[]): string[] => {
  const script = [
    completionScripts.bash(listCompletions(program)),
    'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))',
    '_patchbay; for word in "${COMPREPLY[@]}"; do echo "$word"; done',
  ].join('\n')
  return execFileSync('bash', ['-c', script, 'bash', ...commandLine], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
}

test('bash completes commands, options, and values', () => {
  expect(completeInBash(['patchbay', 'rese'])).toEqual(['reset-password'])
  expect(completeInBash(['patchbay', 'reset-password', '--n'])).toEqual(['--name'])
  expect(completeInBash(['patchbay', 'completion', ''])).toEqual(['bash', 'zsh', 'fish', '--help'])
  expect(completeInBash(['patchbay', 'help', 'ver'])).toEqual(['version'])
  expect(completeInBash(['patchbay', 'unknown', '--n'])).toEqual([])
})

test('zsh and fish get every option, and texts with special characters are escaped', () => {
  const command = {
    name: 'demo',
    summary: "fill: a company's [new] database",
    options: [{ name: '--calls', description: "the company's: calls", hasValue: true }],
    values: [],
  }
  expect(completionScripts.zsh([command])).toContain(String.raw`'demo:fill\: a company'\''s \[new\] database'`)
  expect(completionScripts.zsh([command])).toContain(String.raw`'--calls[the company'\''s\: calls]:value:_files'`)
  expect(completionScripts.fish([command])).toContain(
    String.raw`complete -c patchbay -n '__fish_seen_subcommand_from demo' -l calls -r -d 'the company'\''s: calls'`,
  )
})
