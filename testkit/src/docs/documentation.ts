import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Reads the documentation: its fenced blocks, and the commands in blocks and in sentences. */

export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** A fenced block of a Markdown document. */
export interface Block {
  language: string
  /** The words after the language. */
  info: string
  content: string
}

/** A command of the documentation, such as `DATA_DIR=./demo npm run demo -- --calls 5000`. */
export interface Command {
  document: string
  /** The command on one line, without a comment. */
  text: string
  /** The environment variables before the program. */
  variables: Record<string, string>
  /** The program and its arguments. */
  argv: string[]
}

/** The changelog describes former versions. */
const notInstructions = new Set(['CHANGELOG.md'])

/** Returns the paths of all documents that instruct readers, relative to the repository. */
export const listDocuments = (): string[] =>
  globSync(['*.md', '.github/**/*.md', 'docs/**/*.md'], { cwd: repositoryRoot })
    .filter((document) => !notInstructions.has(document))
    .toSorted()

export const readDocument = (document: string): string => readFileSync(join(repositoryRoot, document), 'utf8')

const fencedBlock = /^( *)```(\w*) ?(.*)\n([^]*?)^\1```$/gm

/** Returns the fenced blocks of a document. A block in a list item loses its indentation. */
export const parseBlocks = (markdown: string): Block[] =>
  [...markdown.matchAll(fencedBlock)].map(([, indentation = '', language = '', info = '', content = '']) => ({
    language,
    info,
    content: content.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  }))

const assignment = /^([A-Z][A-Z0-9_]*)=(.*)$/

/** Parses a command line. It supports quotation marks, and no pipes or substitutions. */
const parseCommand = (document: string, text: string): Command => {
  const all = (text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''))
  const program = all.findIndex((word) => !assignment.test(word))
  const assignments = all.slice(0, program).map((word) => assignment.exec(word)?.slice(1) ?? [])
  return { document, text, variables: Object.fromEntries(assignments), argv: all.slice(program) }
}

/** Programs whose names can begin a command in a sentence. Without an argument, the name means the program itself. */
const commandInSentence =
  /^(?:[A-Z_]+=\S+ )*(?:curl|docker|git|kubectl|mysql|nginx|node|npm|npx|patchbay|redis-cli|sqlite3|ss|systemctl) /

const listSentenceCommands = (markdown: string): string[] =>
  [...markdown.replaceAll(fencedBlock, '').matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
    .filter((code) => commandInSentence.test(code))

/** A block with the word `test` is run as a whole (`documented-commands.ts`). */
const listBlockCommands = (markdown: string): string[] =>
  parseBlocks(markdown)
    .filter(({ language, info }) => language === 'sh' && !/^test\b/.test(info))
    .flatMap(({ content }) => content.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(?:^|\s+)#.*$/, ''))
    .filter((line) => line !== '')

/** Returns the commands of a document that are not part of a block that a test runs. */
export const listCommands = (document: string): Command[] => {
  const markdown = readDocument(document)
  return [...listBlockCommands(markdown), ...listSentenceCommands(markdown)].map((text) => parseCommand(document, text))
}

/**
 * Returns an example configuration from a document, with the addresses and paths of a test.
 *
 * @param position position among the blocks of the language, from 0
 * @param replacements text to find, which must exist, and its replacement
 */
export const readConfiguration = (
  document: string,
  language: string,
  position: number,
  replacements: Readonly<Record<string, string>>,
): string => {
  const block = parseBlocks(readDocument(document)).filter((each) => each.language === language)[position]
  if (block === undefined) throw new Error(`${document} has no block ${position} of ${language}`)
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the configuration in ${document} does not contain ${from}`)
    return text.replaceAll(from, to)
  }, block.content)
}
