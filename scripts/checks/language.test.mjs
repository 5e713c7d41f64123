import { expect, test } from 'vitest'
import { checkSource } from './language.mjs'

test.each([
  ['const gone = 1', 'name "gone"'],
  ['const { signal: gone } = options', 'name "gone"'],
  ['const [asked, ...given] = list', 'name "asked"'],
  ['export const run = (door = 1) => door', 'name "door"'],
  ['function colorOf(value) { return value }', 'name "colorOf"'],
  ['interface Limits { mostBytes: number }', 'name "mostBytes"'],
])('rejects a name of the former vocabulary: %s', (text, finding) => {
  expect(checkSource('src/file.ts', text)[0]).toContain(finding)
})

test('accepts names of libraries, members of other objects, and terms of the field', () => {
  const text = 'const index = list.indexOf(1)\nconst left = diff.gone\ninterface Step { found: boolean }\n'
  expect(checkSource('src/file.ts', text)).toEqual([])
})

test.each([
  ['// Of one whose payment has not come.', 'start with a subject'],
  ['/** What is asked of it. */', 'start with a subject'],
  ['// The session ends when nobody uses it.', 'say "nobody"'],
  ['const a = 1\n\n/** Retries after the far side has answered. */', 'file.ts:3: comment: say "far side"'],
])('rejects a comment that is a fragment or uses the former vocabulary: %s', (text, finding) => {
  expect(checkSource('src/file.ts', text).join()).toContain(finding)
})

test('accepts sentences and directives', () => {
  const text = '/** Returns the number of rows. */\n// oxlint-disable-next-line no-of -- of one\nconst rows = 1\n'
  expect(checkSource('src/file.ts', text)).toEqual([])
})

test('rejects file names that are not terms of the field', () => {
  expect(checkSource('src/later-dialog.tsx', '')).toEqual([
    'src/later-dialog.tsx: rename the file: its name is not a term of the field',
  ])
  expect(checkSource('src/lazy-dialog.tsx', '')).toEqual([])
})
