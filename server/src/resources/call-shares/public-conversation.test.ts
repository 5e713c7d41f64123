import type { Conversation } from '@patchbay/contract/conversations'
import { expect, test } from 'vitest'
import { getLastDigits, toPublicConversation } from './public-conversation.ts'

const span_id = '3247ffddc1ad4e36'

const event = (kind: Conversation['events'][number]['kind'], detail: string) => ({
  kind,
  at_ms: 0,
  duration_ms: 0,
  detail,
  arguments: '{"customer":"4711"}',
  span_id,
})

const conversation: Conversation = {
  started_at: '2026-11-02T10:00:00.000Z',
  duration_ms: 1000,
  sources: [{ service: 'internal-host', clock_difference_ms: 12 }],
  recording: { status: 'analyzed', start_ms: 0, encoder_delay_ms: 0 },
  turns: [
    {
      speaker: 'agent',
      start_ms: 0,
      start_evidence: 'measured',
      end_ms: 1000,
      end_evidence: 'measured',
      text: 'Hello',
      confidence: null,
      voice: 'en-US-C',
      vendor: 'secret vendor',
      language: 'en-US',
      interruption: null,
      gap: {
        start_ms: 0,
        duration_ms: 500,
        starts_at: 'end_of_speech',
        parts: [{ kind: 'application', duration_ms: 500, evidence: 'measured', source: 'internal-host', span_id }],
      },
      tokens: { input: 4711, output: 4711 },
      model: 'secret model',
      span_id,
    },
  ],
  events: [
    event('error', 'POST https://hooks.example.org failed'),
    event('transfer', '+442079460000'),
    event('hold', 'queue of https://hooks.example.org'),
    event('dtmf', '5'),
    event('tool_call', 'find_flights'),
    event('backchannel', 'caller'),
  ],
  busy_ranges: [],
  other_steps: [{ at_ms: 1, duration_ms: 1, name: 'secret step', service: 'internal-host', span_id }],
  muted_ranges: null,
  is_cut: false,
}

test('a public conversation has texts, times, and parts of gaps, and nothing of the installation', () => {
  const publicData = toPublicConversation(conversation, true)
  const text = JSON.stringify(publicData)
  for (const secret of [span_id, 'internal-host', 'secret', '4711', 'https:', '+4420'])
    expect(text).not.toContain(secret)
  expect(publicData.turns[0]).toMatchObject({ text: 'Hello', voice: 'en-US-C', gap: { parts: [{ duration_ms: 500 }] } })
  expect(publicData.events.map(({ kind, detail }) => [kind, detail])).toEqual([
    ['error', ''],
    ['transfer', ''],
    ['hold', ''],
    ['dtmf', '•'],
    ['tool_call', 'find_flights'],
    ['backchannel', 'caller'],
  ])
  expect(publicData.recording).toEqual(conversation.recording)
  expect(toPublicConversation(conversation, false).recording).toBeNull()
})

test.each([
  ['15083084809', '4809'],
  ['+1 (508) 308-4809', '4809'],
  ['+4420', null],
  ['1001', null],
  ['anonymous', null],
  ['sip:alice@example.org', null],
  ['10.0.0.1', null],
  [null, null],
])('the last digits of %s are %s', (number, expected) => {
  expect(getLastDigits(number)).toBe(expected)
})
