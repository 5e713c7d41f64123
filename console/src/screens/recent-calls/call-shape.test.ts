import type { Call } from '@patchbay/contract/recent-calls'
import { expect, test } from 'vitest'
import { toDetailGroups } from '../../record/record-fields.ts'
import { callShape } from './call-shape.ts'

const call: Call = {
  attempted_at: '2026-11-21T13:03:07.000Z',
  account_sid: 'a',
  answered: false,
  answered_at: '1970-01-01T00:00:00.000Z',
  application_sid: null,
  call_sid: 'c',
  direction: 'inbound',
  duration: 0,
  from: '15083084809',
  host: null,
  recording_url: 'https://recordings/1',
  remote_host: '3.3.3.3',
  service_provider_sid: 's',
  sip_callid: 'x@y',
  sip_parent_callid: null,
  sip_status: 487,
  terminated_at: '2026-11-21T13:03:08.000Z',
  termination_reason: 'caller hungup',
  to: '1',
  trace_id: 't',
  trunk: null,
  latency_ms: 7,
}

test('groups present fields under their labels, including false and 0', () => {
  const { detailGroups } = toDetailGroups(call, callShape)
  expect(detailGroups.map(({ title, facts }) => [title, ...facts.map(({ label }) => label)])).toEqual([
    ['Times', 'Attempted', 'Ended', 'Duration'],
    ['Parties', 'Direction', 'From', 'To', 'Remote host'],
    ['SIP', 'Answered', 'SIP status', 'Termination reason', 'SIP Call-ID'],
    ['IDs', 'Call SID', 'Account SID', 'Service provider SID', 'Trace ID'],
    ['Other', 'Latency ms'],
  ])
})

test('labels the costs that newer platforms report', () => {
  const { detailGroups } = toDetailGroups({ cost: '0.0131', rate: '0.0065', billed_seconds: 120 }, callShape)
  const facts = [
    { name: 'cost', label: 'Cost', kind: 'text', value: '0.0131' },
    { name: 'rate', label: 'Rate', kind: 'text', value: '0.0065' },
    { name: 'billed_seconds', label: 'Billed duration', kind: 'duration', value: 120 },
  ]
  expect(detailGroups).toEqual([{ title: 'Billing', facts }])
})

test('lists missing fields separately, treats a time at the Unix epoch as missing, and hides the recording URL', () => {
  expect(toDetailGroups(call, callShape).unknown).toEqual([
    'Answered at',
    'Trunk',
    'Handled by',
    'SIP Call-ID of the other leg',
    'Application SID',
  ])
})
