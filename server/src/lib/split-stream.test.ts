import { expect, test } from 'vitest'
import { splitStream } from './split-stream.ts'

async function* toStream(chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of chunks) yield Promise.resolve(Buffer.from(text))
}

const split = async (chunks: readonly string[], getSize: (position: number) => number): Promise<string[]> => {
  const parts: string[] = []
  for await (const part of splitStream(toStream(chunks), getSize)) parts.push(part.toString())
  return parts
}

test.each([
  [['abcdefgh'], ['abc', 'def', 'gh']],
  [
    ['a', 'b', 'cdefg', 'h'],
    ['abc', 'def', 'gh'],
  ],
  [
    ['abc', 'def'],
    ['abc', 'def'],
  ],
  [['', 'ab', ''], ['ab']],
  [[], []],
])('splits %j', async (chunks, parts) => {
  expect(await split(chunks, () => 3)).toEqual(parts)
})

test('uses the size of each position', async () => {
  expect(await split(['abcdefgh', 'ij'], (position) => position + 1)).toEqual(['a', 'bc', 'def', 'ghij'])
})
