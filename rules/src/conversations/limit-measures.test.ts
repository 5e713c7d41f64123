import { describe, expect, test } from 'vitest'
import { formatMeasure, measureConversations } from './limit-measures.ts'

describe('a measured value', () => {
  test.each([
    ['gap_p95_ms', 1500, [], '1.5 s'],
    ['gap_p95_ms', 1503, [], '1.5 s'],
    ['gap_p95_ms', 1503, [1500], '1.503 s'],
    ['gap_p95_ms', 1500, [1503], '1.5 s'],
    ['gap_p95_ms', 1500, [1500], '1.5 s'],
    ['interrupted_percent', 20.04, [], '20 %'],
    ['interrupted_percent', 20.04, [20], '20.04 %'],
    ['interrupted_percent', 20.000_000_4, [20], '20.0000004 %'],
    ['interrupted_percent', 25.5, [20], '25.5 %'],
    ['failed_percent', 99.96, [90], '99.96 %'],
    ['failed_percent', 100, [90], '100 %'],
    ['failed_percent', 0.04, [10], '0.04 %'],
    ['failed_percent', 0, [10], '0 %'],
  ] as const)('%s of %d beside %j is %s', (measure, value, comparedWith, text) => {
    expect(formatMeasure(measure, value, ...comparedWith)).toBe(text)
  })

  test.each([7, 14, 28, 55, 57])('of %i in 100 is exactly that share', (part) => {
    expect(measureConversations(new Map([['conversations', [100]]]), part).failed_percent).toBe(part)
  })
})
