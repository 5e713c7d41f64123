import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The messages that the code logs are those of docs/reference/logging.md. */

const root = fileURLToPath(new URL('../../..', import.meta.url))

const source = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, 'server/src', file), 'utf8'))
  .join('\n')

const document = readFileSync(join(root, 'docs/reference/logging.md'), 'utf8')

const listMatches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, match = '']) => match)

/** Patterns for logged problems: calls of the logger, failures in the background, and messages in constants. */
const logged = [
  /\b(?:log|logger)\.(?:warn|error|fatal)\(\s*(?:\{[^;]*?\},\s*)?'([^']+)'/g,
  /\bonBackgroundError\(\s*\w+,\s*'([^']+)'/g,
  /\bbegin\('([^']+)'/g,
  /'([^']+; retrying)'/g,
  /\b(?:message|failureMessage) =\s*'([^']+)'/g,
]

test('every logged problem is documented', () => {
  const messages = new Set(logged.flatMap((pattern) => listMatches(source, pattern)))
  expect(messages.size).toBeGreaterThan(35)
  expect([...messages].filter((message) => !document.includes(`| \`${message}\` |`))).toEqual([])
})

test('every documented message exists', () => {
  const messages = listMatches(document, /^\| `([^`]+ [^`]+)` \| (?:fatal|error|warn) \|/gm)
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter((message) => !source.includes(`'${message}'`))).toEqual([])
})
