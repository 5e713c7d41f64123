import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { listDocuments, parseBlocks, readDocument, repositoryRoot } from '@patchbay/testkit/docs/documentation'
import { expect, test } from 'vitest'

/**
 * Code in the documentation is that of the repository, or is run. The words after the language of a block say which:
 *
 * - `ts from=FILE`: the lines occur in this file, in this order. `…` stands for lines, or for a part of a line, that the
 *   document leaves out. The indentation can differ.
 * - `js file=NAME`: a file that `documentation.test.ts` writes and runs.
 * - `js tested=FILE`: code for readers, which this test runs.
 */

const codeBlocks = listDocuments().flatMap((document) =>
  parseBlocks(readDocument(document))
    .filter(({ language }) => /^(?:[jt]sx?|mjs|javascript|typescript)$/.test(language))
    .map(({ info, content }) => ({ document, info, content })),
)

const omitted = '…'

/** Returns whether a line is that of a document, in which `…` stands for any text. */
const isLine = (documented: string, line: string): boolean => {
  const [start = '', ...others] = documented.split(omitted)
  const end = others.at(-1)
  return end === undefined ? line === start : line.startsWith(start) && line.endsWith(end)
}

/** Returns the first line of a block that a file does not contain after the lines before it, or undefined. */
const findForeignLine = (content: string, source: string): string | undefined => {
  const lines = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const passages = content
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .split(`\n${omitted}\n`)
    .map((passage) => passage.split('\n').filter((line) => line !== '' && line !== omitted))
  let from = 0
  for (const passage of passages) {
    const isAt = (at: number): boolean => passage.every((line, step) => isLine(line, lines[at + step] ?? ''))
    const found = lines.findIndex((_, at) => at >= from && isAt(at))
    if (found === -1)
      return passage.find((line) => !lines.slice(from).some((other) => isLine(line, other))) ?? passage[0]
    from = found + passage.length
  }
  return undefined
}

test('lines that a file does not contain, or contains in another order, are found', () => {
  const source = 'const a = 1\n\nconst b = () => {\n  return a\n}\n'
  expect(findForeignLine('const a = 1\n…\n  return a\n}\n', source)).toBeUndefined()
  expect(findForeignLine('const b = …\nreturn a\n', source)).toBeUndefined()
  expect(findForeignLine('return b\n', source)).toBe('return b')
  expect(findForeignLine('const a = 1\nreturn a\n', source)).toBe('const a = 1')
  expect(findForeignLine('return a\n…\nconst a = 1\n', source)).toBe('const a = 1')
})

/** Returns what is wrong with a block, or undefined. */
const findProblem = ({ document, info, content }: (typeof codeBlocks)[number]): string | undefined => {
  const [, kind, file = ''] = /^(from|file|tested)=(\S+)$/.exec(info) ?? []
  if (kind === undefined) return 'the block needs from=, file=, or tested='
  if (kind === 'file') return /^ *```sh test/m.test(readDocument(document)) ? undefined : 'no command runs the file'
  if (!existsSync(join(repositoryRoot, file))) return `${file} does not exist`
  const source = readFileSync(join(repositoryRoot, file), 'utf8')
  if (kind === 'tested') return source.includes(document) ? undefined : `${file} does not read the document`
  const foreign = findForeignLine(content, source)
  return foreign === undefined ? undefined : `${file} does not contain, at this place: ${foreign}`
}

test.each(codeBlocks)('$document: the code "$info" is that of a file, or is run', (block) => {
  expect(findProblem(block)).toBeUndefined()
})

test('the code in docs/how-to/send-alerts.md accepts signatures of Patchbay, and no others', async () => {
  const document = 'docs/how-to/send-alerts.md'
  const code = parseBlocks(readDocument(document)).find(({ language }) => language === 'js')?.content ?? ''
  const module = `${code}\nexport { isSigned }`
  const { isSigned } = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`)) as {
    isSigned: (header: string, body: string, secret: string) => boolean
  }
  const body = JSON.stringify({ alert: { message: 'The carrier does not respond' } })
  const header = signPayload(body, 'a secret')
  expect(isSigned(header, body, 'a secret')).toBe(true)
  expect(isSigned(header, `${body} `, 'a secret')).toBe(false)
  expect(isSigned(header, body, 'another secret')).toBe(false)
  expect(isSigned(header.replace(/,v1=.*/, ''), body, 'a secret')).toBe(false)
})
