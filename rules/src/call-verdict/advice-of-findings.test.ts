import { analyzeFlow, judgeFlow, readCallFlows } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'
import { explainSip } from './sip-rules.ts'
import { judgeCall } from './verdict.ts'

test('a finding with advice about a leg that was tried before is no problem of the call', () => {
  const flow = changeFlow('healthy/legs-hunt-busy-leg', (message) => ({
    ...message,
    text: message.text.replace(/^(Call-ID: \S+\.B\r\n[^]*Contact: <sip:[^>]*)10\.0\.0\.5/m, '$1198.51.100.10'),
  }))
  const analyzed = analyzeFlow(flow)
  expect(analyzed.findings).toContainEqual(
    expect.objectContaining({
      rule: 'privateMedia',
      severity: 'info',
      advice: expect.stringContaining('public address'),
    }),
  )
  const call = { ...flow.call, answered: true, answered_at: flow.call.attempted_at, duration: 10, sip_status: 200 }
  expect(judgeFlow({ ...flow, call }, analyzed)).toMatch(/^neutral none: Answered/)
})

const answeredFlows = readCallFlows().filter(({ call, name }) => call.answered && !name.includes('register'))

test.each(answeredFlows)('the verdict of the answered call $name has advice for its problem', (flow) => {
  const { cause } = judgeCall(flow.call, explainSip(flow.call, analyzeFlow(flow)))
  expect(cause?.next).not.toBe('Open the messages of this finding.')
})

test.each([
  ['media-statistics-without-packets', /^Check what keeps the media from this side/],
  ['ack-not-forwarded', /^Check that the answer reaches/],
  ['media-no-common-codec', /^Enable an offered codec/],
  ['media-change-to-plain', /^Correct the media settings/],
  ['legs-dialed-number-unknown', /^Check the number/],
])('the advice for %s says what to check', (name, advice) => {
  const flow = answeredFlows.find((one) => one.name.endsWith(name))
  if (flow === undefined) throw new Error(`there is no flow ${name}`)
  expect(judgeCall(flow.call, explainSip(flow.call, analyzeFlow(flow))).cause?.next).toMatch(advice)
})
