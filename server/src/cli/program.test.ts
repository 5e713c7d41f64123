import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from './program.ts'

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
