import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { archiveEnd, countPadding, decodeTarHeader, encodeTarHeader } from './tar-format.ts'

const longName = `recordings/${'a'.repeat(36)}/2026/05/01/${'b'.repeat(60)}.10.mp3`

test('tar lists and extracts an archive with short and long names', () => {
  const content = Buffer.from('content')
  const names = ['header.json', 'tables/accounts/000001.ndjson.gz', longName]
  const entries = names.flatMap((name) => [
    encodeTarHeader(name, content.length),
    content,
    Buffer.alloc(countPadding(content.length)),
  ])
  const archive = Buffer.concat([...entries, archiveEnd])
  expect(execFileSync('tar', ['-t'], { input: archive, encoding: 'utf8' }).trim().split('\n')).toEqual(names)
  expect(execFileSync('tar', ['-xO', longName], { input: archive, encoding: 'utf8' })).toBe('content')
})

test.each([
  ['header.json', 0],
  [longName, 8 ** 11 - 1],
  ['recordings/a', 513],
])('decodes the header of %s with %i bytes', (name, size) => {
  expect(decodeTarHeader(encodeTarHeader(name, size))).toEqual({ name, size })
})

test('rejects a header of which any byte was changed', () => {
  const header = encodeTarHeader(longName, 1234)
  for (const position of header.keys()) {
    const changed = Buffer.from(header)
    changed[position] = (changed[position] ?? 0) ^ 0x20
    expect(() => decodeTarHeader(changed), `position ${position}`).toThrow('The backup is damaged')
  }
})

test('rejects names and contents that are too long', () => {
  expect(() => encodeTarHeader('a'.repeat(101), 1)).toThrow('too long')
  expect(() => encodeTarHeader(`${'a'.repeat(156)}/b${'c'.repeat(99)}`, 1)).toThrow('too long')
  expect(() => encodeTarHeader('header.json', 8 ** 11)).toThrow('too large')
})
