import { analyzeFlow, type CallFlow, judgeFlow } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'

/** Verdicts about hosts that have two addresses in the capture, one on each side of a NAT. */

const judge = (flow: CallFlow): string => judgeFlow(flow, analyzeFlow(flow))

const publicAddress = '198.51.100.10'

/** Returns the flow with a phrase that means something only if the platform sent it. */
const toPhrase = (branchBeyond = '$1'): CallFlow =>
  changeFlow('faulty/refused-503-both-sides-of-nat', (message) => {
    const isBeyond = [message.source, message.destination].some(({ address }) => address === publicAddress)
    const text = message.text
      .replace(/^SIP\/2\.0 503 .*/, 'SIP/2.0 503 Maximum Calls In Progress')
      .replace(/^X-Reason: .*\r\n/m, '')
    return { ...message, text: isBeyond ? text.replace(/(branch=\w+)/, branchBeyond) : text }
  })

const platform = 'bad platform: A limit of simultaneous calls was reached (503 Maximum Calls In Progress).'

test('the host of the record is the same beyond a NAT', () => {
  const flow = toPhrase()
  expect(judge(flow)).toBe(platform)
  const swapped = flow.legs.map((leg) => {
    const isBeyond = ({ source, destination }: (typeof leg.messages)[number]) =>
      [source.address, destination.address].includes(publicAddress)
    const [beyond, own] = [leg.messages.filter(isBeyond), leg.messages.filter((one) => !isBeyond(one))]
    return { ...leg, messages: [...beyond, ...own.map((one) => ({ ...one, seconds: one.seconds + 1 }))] }
  })
  expect(judge({ ...flow, legs: swapped })).toBe(platform)
})

test('a request with another branch, or with one that is not unique, was sent to another host', () => {
  expect(judge(toPhrase('branch=z9hG4bKother'))).not.toBe(platform)
  const flow = toPhrase()
  const legs = flow.legs.map((leg) => ({
    ...leg,
    messages: leg.messages.map((one) => ({ ...one, text: one.text.replace(/branch=z9hG4bK\w+/, 'branch=1') })),
  }))
  expect(judge({ ...flow, legs })).not.toBe(platform)
})
