import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getErrorCode } from '@patchbay/server/lib/error-code'
import { type Block, parseBlocks, readDocument } from './documentation.ts'

/**
 * Runs the commands of a Markdown document, so that the document cannot differ from what the program does. The words
 * after the language of a fenced block say what it is for:
 *
 * - `sh test`: a command. All commands of a document run in one shell, in order, until one fails.
 * - `sh test background`: a command that runs until the end, such as a server. The next command starts after its first
 *   output.
 * - `js file=NAME`: a file that is written before the commands run.
 * - `text output`: the output of the command before it. `…` stands for any text.
 * - `text background`: the last output of the command in the background.
 * - `text NAME`: output of something that the test itself runs, for `readShownOutput`.
 */

/** A command of a document, its output, and the output that the document shows. */
export interface DocumentedCommand {
  command: string
  output: string
  /** Undefined if the document shows none. */
  expected: RegExp | undefined
}

const toPattern = (output: string): RegExp =>
  new RegExp(
    `^${output
      .trimEnd()
      .replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
      .replaceAll('…', '[^]*?')}$`,
  )

const separator = '--- end of a documented command ---'

/** Returns shell code that runs a command in the background and waits for its first output. */
const inBackground = (command: string): string =>
  `{ ${command.trimEnd()}\n} > background.log 2>&1 &\nuntil [ -s background.log ]; do sleep 0.1; done\ncat background.log\n`

/** Makes `curl` fail if the server rejects a request, as `set -e` expects it. */
const strictCurl = `curl() { command curl --fail-with-body "$@"; }\n`

const toScript = (commands: readonly Block[]): string =>
  strictCurl +
  [...commands.map(({ info, content }) => (info === 'test background' ? inBackground(content) : content)), ''].join(
    `\nprintf '\\n%s\\n' '${separator}'\n`,
  )

/** Runs a script and everything that it starts. Returns what it prints. Rejects if it fails. */
const runShell = async (script: string, cwd: string): Promise<string> => {
  const programs = [process.execPath, ...(process.env['SQLITE3_PATH'] ? [process.env['SQLITE3_PATH']] : [])]
  const path = [...programs.map((program) => dirname(program)), process.env['PATH']].join(':')
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    // The commands in the background belong to the process group of the shell.
    detached: true,
    env: { PATH: path, HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endAll = () => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
    } catch (error) {
      // The group is empty unless a command runs in the background.
      if (getErrorCode(error) !== 'ESRCH') throw error
    }
  }
  const exited = new Promise<number | null>((resolve) => shell.once('exit', resolve))
  process.once('exit', endAll)
  const [output, errors, code] = await Promise.all([text(shell.stdout), text(shell.stderr), exited])
  process.off('exit', endAll)
  endAll()
  if (code !== 0) throw new Error(`the shell ended with ${code}:\n${output}${errors}`)
  return output
}

type Replacements = Readonly<Record<string, string>>

const readBlocks = (document: string, replacements: Replacements): Block[] =>
  parseBlocks(
    Object.entries(replacements).reduce(
      (markdown, [from, to]) => markdown.replaceAll(from, to),
      readDocument(document),
    ),
  )

/** Returns a pattern for the output that a document shows in its block `text NAME`. */
export const readShownOutput = (document: string, name: string, replacements: Replacements): RegExp =>
  toPattern(readBlocks(document, replacements).find(({ info }) => info === name)?.content ?? `no block ${name}`)

/**
 * Runs the commands of a document.
 * @param replacements texts of the document that differ here, such as addresses, with what replaces them
 */
export const runDocument = async (
  document: string,
  folder: string,
  replacements: Replacements,
): Promise<DocumentedCommand[]> => {
  const blocks = readBlocks(document, replacements)
  for (const { info, content } of blocks) {
    const [, name] = /^file=([\w.-]+)$/.exec(info) ?? []
    if (name !== undefined) writeFileSync(join(folder, name), content)
  }
  const commands = blocks.filter(({ language, info }) => language === 'sh' && /^test\b/.test(info))
  if (commands.length === 0) throw new Error(`${document} has no commands to test`)
  const outputs = (await runShell(toScript(commands), folder)).split(`\n${separator}\n`)
  const results = commands.map((block, at): DocumentedCommand => {
    const next = blocks[blocks.indexOf(block) + 1]
    return {
      command: block.content.trimEnd(),
      output: outputs[at]?.trimEnd() ?? '',
      expected: next?.info === 'output' ? toPattern(next.content) : undefined,
    }
  })
  const background = blocks.find(({ info }) => info === 'background')
  return background === undefined
    ? results
    : [
        ...results,
        {
          command: 'the command in the background',
          output: readFileSync(join(folder, 'background.log'), 'utf8').trimEnd(),
          expected: toPattern(`…${background.content}`),
        },
      ]
}
