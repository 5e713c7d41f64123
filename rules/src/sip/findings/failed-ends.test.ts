import { analyzeFlow, type CallFlow, type FlowMessage } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'

const readEndings = (flow: CallFlow) => analyzeFlow(flow).findings.flatMap(({ ending }) => ending?.text ?? [])

/** Returns the endings of a call whose BYE has another header for the reason. */
const endWith = (reason: string) =>
  readEndings(
    changeFlow('faulty/bye-resource-unavailable', (message) => ({
      ...message,
      text: message.text.replace(/^Reason: .*$/m, reason.trimEnd()),
    })),
  )

test.each([
  ['Reason: Q.850;cause=47', 'Q.850 cause 47, resource unavailable'],
  ['Reason: Q.850;cause=27', 'Q.850 cause 27, destination out of order'],
  ['Reason: Q.850;cause=16, SIP;cause=500;text="Out of memory"', 'SIP cause 500, Out of memory'],
  ['Reason: SIP;cause=408', 'SIP cause 408, Request Timeout'],
])('%s names a failure', (reason, text) => {
  expect(endWith(reason)).toEqual([`The called party hung up because of a failure. Reason given: ${text}.`])
})

test.each([
  'Reason: Q.850;cause=16',
  'Reason: Q.850;cause=17',
  'Reason: Q.850;cause=31',
  'Reason: Q.850;cause=127',
  'Reason: SIP;cause=200',
  'Reason: SIP;cause=486',
  'Reason: SIP;cause=603',
  'Reason: FreeSWITCH;cause=500',
  'Subject: none',
])('%s names no failure', (reason) => {
  expect(endWith(reason)).toEqual([])
})

/** Returns the endings of a call with a refresh that got no response, and without a stated reason. */
const refresh = (change: (message: FlowMessage) => FlowMessage) =>
  readEndings(
    changeFlow('faulty/refresh-without-response', (message) =>
      change({ ...message, text: message.text.replace(/^Reason: .*\r\n/m, '') }),
    ),
  )

const isBye = ({ text }: FlowMessage) => /^CSeq: \d+ BYE/m.test(text)

test('a refresh without a response ends the call, if its side hangs up when it gives up', () => {
  expect(refresh((message) => message)).toEqual(['The caller hung up after its re-INVITE had got no response.'])
  // The other side, or the side before it gave up, hangs up for another reason.
  expect(refresh((message) => (isBye(message) ? { ...message, seconds: message.seconds - 10 } : message))).toEqual([])
})
