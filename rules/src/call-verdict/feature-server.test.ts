import { analyzeFlow, type CallFlow } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'
import { explainSip } from './sip-rules.ts'
import { judgeCall } from './verdict.ts'

/** Verdicts about inbound calls that a feature server rejected, and look-alikes of which another host can be the reason. */

const judge = (flow: CallFlow): string => {
  const { side, title, next } = judgeCall(flow.call, explainSip(flow.call, analyzeFlow(flow))).cause ?? {}
  return `${side}: ${title} ${next}`
}

const name = 'faulty/legs-application-declined'
const replace = (from: RegExp, to: string): CallFlow =>
  changeFlow(name, (message) => ({ ...message, text: message.text.replace(from, to) }))

const declined =
  'application: The application declined the call (480 Gone Fishing). Change the application if it should not decline such calls.'

test('a phrase that is not the one of the status is that of the application', () => {
  expect(judge(changeFlow(name))).toBe(declined)
})

test('a call that the verb for it declined needs no phrase', () => {
  const flow = replace(/^SIP\/2\.0 480 .*\r\n/, 'SIP/2.0 480 Temporarily Unavailable\r\nX-Verb: SIP Decline\r\n')
  expect(judge(flow)).toMatch(/^application: The application declined the call \(480 Temporarily Unavailable\)/)
  const [first, second] = flow.legs
  expect(judge({ ...flow, legs: first === undefined ? [] : [first] })).toMatch(/^application: The application declined/)
  expect(judge({ ...flow, legs: second === undefined ? [] : [second] })).not.toMatch(/is available/)
})

test('a feature server that responded is not to be looked for', () => {
  const responded = judge(replace(/^SIP\/2\.0 480 .*/, 'SIP/2.0 480 Temporarily Unavailable'))
  expect(responded).toMatch(/A feature server responded with this status\. Test the webhook/)
  expect(responded).not.toMatch(/that a feature server/)
  const refused = replace(/^SIP\/2\.0 480 .*/, 'SIP/2.0 503 Service Unavailable')
  const call = { ...refused.call, sip_status: 503, application_sid: 'a' }
  expect(judge({ ...refused, call })).toMatch(/Look for the Call-ID in its log/)
})

test.each<[string, CallFlow]>([
  ['of a leg that names another call', replace(/^X-CID: .*/m, 'X-CID: other')],
  [
    'of a leg that another host began',
    changeFlow(name, (message) => ({
      ...message,
      ...(message.text.includes('X-CID') ? { source: { address: '10.0.0.9', port: 5060 } } : {}),
    })),
  ],
])('a response %s says nothing about the application', (_what, flow) => {
  expect(judge(flow)).not.toMatch(/application declined|A feature server responded/)
})
