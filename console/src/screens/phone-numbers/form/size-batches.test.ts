import { expect, test } from 'vitest'
import { toBatches } from './size-batches.ts'

test('a batch holds no more rows, and no more bytes, than a request takes', () => {
  const rows = Array.from({ length: 1201 }, (_, line) => ({ number: String(line) }))
  const batches = toBatches(rows)
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 201])
  expect(batches.flat()).toEqual(rows)
  const long = Array.from({ length: 500 }, () => ({ number: 'ü'.repeat(250) }))
  for (const batch of toBatches(long)) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(100_000)
  expect(toBatches(long).flat()).toHaveLength(500)
  expect(toBatches([])).toEqual([])
})
