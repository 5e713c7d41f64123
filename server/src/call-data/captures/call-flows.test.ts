import { analyzeFlow, type CallFlow, judgeFlow, readCallFlows } from '@patchbay/testkit/call-flows'
import { describe, expect, test } from 'vitest'

/** The corpus of call flows. A healthy call has no finding above a note, and a broken one exactly those of its file. */

const flows = readCallFlows()

const isProblem = ({ severity }: { severity: string }): boolean => severity === 'bad' || severity === 'warn'

/** Checks that each finding of the file was found, and no other problem. */
const expectFindings = (flow: CallFlow, found: ReturnType<typeof analyzeFlow>['findings']): void => {
  const missing = flow.findings.filter(
    ({ severity, rule, text }) =>
      !found.some((one) => one.severity === severity && one.rule === rule && one.text.includes(text)),
  )
  const unexpected = found.filter(
    (one) =>
      isProblem(one) &&
      !flow.findings.some(
        ({ severity, rule, text }) => one.severity === severity && one.rule === rule && one.text.includes(text),
      ),
  )
  expect({ missing, unexpected, found: [] }).toEqual({
    missing: [],
    unexpected: [],
    found: missing.length + unexpected.length === 0 ? [] : found.map(({ rule, text }) => `${rule}: ${text}`),
  })
}

describe('a call flow', () => {
  test.each(flows.map((flow) => [flow.name, flow.title, flow] as const))('%s: %s', (_name, _title, flow) => {
    const analyzed = analyzeFlow(flow)
    expectFindings(flow, analyzed.findings)
    expect(judgeFlow(flow, analyzed)).toBe(flow.verdict ?? judgeFlow(flow, analyzed))
    expect(flow.findings.some(isProblem), 'only a faulty flow states a fault').toBe(!flow.isHealthy)
    expect(flow.title && flow.source, 'title and source').not.toBe('')
  })
})
