import { analyzeFlow, findDeviations, isProblem, judgeFlow, readCallFlows } from '@patchbay/testkit/call-flows'
import { describe, expect, test } from 'vitest'

/** The corpus of call flows. A healthy call has no finding above a note, and a broken one exactly those of its file. */

describe('a call flow', () => {
  test.each(readCallFlows().map((flow) => [flow.name, flow.title, flow] as const))('%s: %s', (_name, _title, flow) => {
    const analyzed = analyzeFlow(flow)
    expect(findDeviations(flow, analyzed)).toEqual({ missing: [], unexpected: [] })
    expect(judgeFlow(flow, analyzed)).toBe(flow.verdict ?? judgeFlow(flow, analyzed))
    expect(flow.findings.some(isProblem), 'only a faulty flow states a fault').toBe(!flow.isHealthy)
    expect(flow.title && flow.source, 'title and source').not.toBe('')
  })
})
