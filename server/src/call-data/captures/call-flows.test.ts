import { readFileSync } from 'node:fs'
import {
  analyzeFlow,
  findDeviations,
  findMissingEvidence,
  isProblem,
  judgeFlow,
  readCallFlows,
} from '@patchbay/testkit/calls/call-flows'
import { describe, expect, test } from 'vitest'

/** The corpus of call flows. A healthy call has no finding above a note, and a broken one exactly those of its file. */

const flows = readCallFlows()

test('the explanation of the findings states how many calls they are tested with', () => {
  const page = readFileSync(new URL('../../../../docs/explanation/sip-findings.md', import.meta.url), 'utf8')
  const healthy = flows.filter(({ isHealthy }) => isHealthy).length
  expect(page.replaceAll(/\s+/g, ' ')).toContain(
    `A corpus of ${flows.length} calls is in \`testkit/call-flows\`: ${healthy} healthy ones with everything that makes real traffic untidy, and ${flows.length - healthy} with a fault.`,
  )
})

describe('a call flow', () => {
  test.each(flows.map((flow) => [flow.name, flow.title, flow] as const))('%s: %s', (_name, _title, flow) => {
    const analyzed = analyzeFlow(flow)
    expect(findDeviations(flow, analyzed)).toEqual({ missing: [], unexpected: [] })
    expect(judgeFlow(flow, analyzed)).toBe(flow.verdict ?? judgeFlow(flow, analyzed))
    expect(findMissingEvidence(flow, analyzed)).toEqual([])
    expect(flow.findings.some(isProblem), 'only a faulty flow states a fault').toBe(!flow.isHealthy)
    expect(flow.title && flow.source, 'title and source').not.toBe('')
  })

  const ofOneClock = flows.filter(({ name }) => !name.includes('/clock-'))
  test.each(ofOneClock.map((flow) => [flow.name, flow] as const))(
    '%s has no message that is stamped before its cause',
    (_name, flow) => {
      expect(analyzeFlow(flow).ladder.arrows.filter(({ early }) => early)).toEqual([])
    },
  )
})
