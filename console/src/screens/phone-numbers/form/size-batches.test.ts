import { expect, test } from 'vitest'
import { toBatches } from './size-batches.ts'

test('limits the number of rows and bytes of a batch', () => {
  const rows = Array.from({ length: 1201 }, (_, line) => ({ number: String(line) }))
  const batches = toBatches(rows)
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 201])
  expect(batches.flat()).toEqual(rows)
  const long = Array.from({ length: 500 }, () => ({ number: 'ü'.repeat(250) }))
  for (const batch of toBatches(long)) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(100_000)
  expect(toBatches(long).flat()).toHaveLength(500)
  expect(toBatches([])).toEqual([])
})
