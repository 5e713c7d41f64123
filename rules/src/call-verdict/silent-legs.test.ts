import { analyzeFlow, type CallFlow, judgeFlow } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'

/** Verdicts about calls with a leg that never got a response, and look-alikes whose end has another reason. */

const judge = (flow: CallFlow): string => judgeFlow(flow, analyzeFlow(flow))

const replace = (name: string, ...replacements: readonly (readonly [from: RegExp, to: string])[]): CallFlow =>
  changeFlow(name, (message) => ({
    ...message,
    text: replacements.reduce((text, [from, to]) => text.replace(from, to), message.text),
  }))

const carrier = 'faulty/legs-silent-carrier'
const featureServer = 'faulty/legs-silent-feature-server'
const canceled = 'faulty/legs-silent-feature-server-canceled'

/** Adds a leg C whose host rings from 1 s on. */
const addRinging = (flow: CallFlow): CallFlow => {
  const [, silent] = flow.legs
  const [invite] = silent?.messages ?? []
  if (silent === undefined || invite === undefined) throw new Error('no second leg')
  const host = { address: '10.0.0.21', port: 5060 }
  const response = invite.text
    .replace(/^INVITE.*/, 'SIP/2.0 180 Ringing')
    .replace(/^(To: .*)$/m, '$1;tag=c')
    .replace(/\r\n\r\n[^]*$/, '\r\n\r\n')
  const messages = [
    { ...invite, destination: host },
    { ...invite, seconds: 1, source: host, destination: invite.source, text: response },
  ]
  return { ...flow, legs: [...flow.legs, { name: 'C', callId: `${flow.callId}.C`, messages }] }
}

test.each([
  [carrier, 'bad carrier: Carrier Bluewave did not respond (408 Request Timeout).'],
  [featureServer, 'bad platform: 10.0.0.20:5060 did not respond (408 Request Timeout).'],
  [canceled, 'bad platform: 10.0.0.20:5060 did not respond (487 Request Terminated).'],
])('names the host that was silent: %s', (name, verdict) => {
  expect(judge(changeFlow(name))).toBe(verdict)
})

test('leaves the side open if the silent host has a public address', () => {
  const flow = changeFlow(featureServer, (message) =>
    message.destination.address === '10.0.0.20'
      ? { ...message, destination: { address: '198.51.100.77', port: 5060 } }
      : message,
  )
  expect(judge(flow)).toBe('bad unknown: 198.51.100.77:5060 did not respond (408 Request Timeout).')
})

test.each<[string, CallFlow]>([
  ['another status', replace(featureServer, [/^SIP\/2\.0 408 Request Timeout/, 'SIP/2.0 500 Server Internal Error'])],
  [
    'another host',
    changeFlow(featureServer, (message) =>
      message.destination.address === '10.0.0.20'
        ? { ...message, source: { address: '10.0.0.6', port: 5060 } }
        : message,
    ),
  ],
  [
    'an end before the last copy',
    changeFlow(featureServer, (message) =>
      message.seconds > 32 ? { ...message, seconds: message.seconds - 20 } : message,
    ),
  ],
])('does not name a silent leg as the reason for %s', (_what, flow) => {
  expect(judge(flow)).not.toContain('10.0.0.20:5060 did not respond')
})

test('does not name a silent leg as the reason if another one rang', () => {
  expect(judge(addRinging(changeFlow(canceled)))).toBe(
    'neutral platform: The call was canceled after 20 s, and no ringing was captured (487 Request Terminated).',
  )
})
