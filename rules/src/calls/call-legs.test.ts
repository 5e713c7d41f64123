import type { Call } from '@patchbay/contract/recent-calls'
import { expect, test } from 'vitest'
import { collectLegs } from './call-legs.ts'

const trace_id = 'a'.repeat(32)

const call = (sip_callid: string | null, second: number, more: Partial<Call> = {}): Call => ({
  attempted_at: new Date(Date.UTC(2026, 10, 21, 13, 0, second)).toISOString(),
  account_sid: 'a',
  answered: true,
  answered_at: null,
  application_sid: null,
  call_sid: sip_callid,
  direction: 'inbound',
  duration: 0,
  from: '1',
  host: null,
  recording_url: null,
  remote_host: null,
  service_provider_sid: 's',
  sip_callid,
  sip_parent_callid: null,
  sip_status: 200,
  terminated_at: null,
  termination_reason: null,
  to: '2',
  trace_id: null,
  trunk: null,
  ...more,
})

const first = call('first', 0, { trace_id })
const outbound = call('made', 4, { sip_parent_callid: 'first' })
const sibling = call('sibling', 5, { sip_parent_callid: 'first' })
const traced = call('traced', 3, { trace_id })
const untraced = call('untraced', 1, { trace_id: '0'.repeat(32) })
const nameless = call(null, 2, { trace_id })
const all = [sibling, outbound, traced, untraced, nameless, first]

test.each([
  ['a call with further legs', first, ['first', 'traced', 'made', 'sibling']],
  ['an outbound leg', outbound, ['first', 'made', 'sibling']],
  ['a call without a trace', untraced, ['untraced']],
] as const)('collects the legs of %s', (_name, own, expected) => {
  expect(collectLegs(own, all).map(({ sip_callid }) => sip_callid)).toEqual(expected)
  expect(collectLegs(own, [])).toEqual([own])
})
