import { expect, test } from 'vitest'
import { gzipJson, unpackedText } from './gzip-json.ts'

test('packs a value into a separate buffer that is no larger than the content', async () => {
  const value = { name: 'a small value' }
  const { content, bytes } = await gzipJson(value)
  expect(content.buffer.byteLength).toBe(content.byteLength)
  const text = await unpackedText(content, bytes)
  expect(JSON.parse(text.toString())).toEqual(value)
})
