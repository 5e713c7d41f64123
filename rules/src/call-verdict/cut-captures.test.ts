import { analyzeFlow, judgeFlow } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'

/** Verdicts about answered calls whose capture ends before the answer. */

/** Returns the verdict about a flow of the corpus, of which only the first messages were captured. */
const judgeFirst = (name: string, count: number): string => {
  const flow = changeFlow(name)
  const legs = flow.legs.map((leg) => ({ ...leg, messages: leg.messages.slice(0, count) }))
  return judgeFlow(flow, analyzeFlow({ ...flow, legs }))
}

test.each([
  ['healthy/auth-proxy', 'SIP/2.0 407'],
  ['healthy/redirect-ported-number', 'SIP/2.0 302'],
])('%s: an answered call has no problem if its capture ends with %s', (name, status) => {
  const at = changeFlow(name).legs[0]?.messages.findIndex(({ text }) => text.startsWith(status)) ?? -1
  expect(at).toBeGreaterThan(0)
  expect(judgeFirst(name, at + 2)).toMatch(/^neutral none: Answered/)
})
