import type { Region } from '@patchbay/rules/recordings/regions'
import { expect, test } from 'vitest'
import { regionSummary } from './format-region.ts'

test.each([
  ['timeout', 'timeout'],
  ['dtmf-num-digits', 'ended with keys'],
  ['dtmf-terminator-key', 'ended with keys'],
  ['stt-error', 'failed'],
  ['connection failure', 'failed'],
  ['killed', 'stopped'],
  ['speech', ''],
  [undefined, ''],
])('the summary of a recognition without a result that ended with %s is "%s"', (resolve, summary) => {
  const details = { result: undefined, unreadable: undefined, resolve, latency: undefined }
  const region: Region = { kind: 'stt', id: '1', channel: 0, start: 0, end: 1, details }
  expect(regionSummary(region)).toBe(summary)
})
