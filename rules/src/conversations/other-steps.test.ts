import { expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation } from './build-conversation.ts'
import { recognized, span, startCpuClock } from './span-fixtures.ts'

const root = span('incoming-call', 0, 60_000)

const list = (...spans: readonly Span[]) => {
  const sorted = [root, ...spans].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  const { other_steps = [], is_cut } = buildConversation({ spans: sorted, isTraceCut: false }) ?? {}
  return { steps: other_steps.map(({ name, at_ms, duration_ms }) => [name, at_ms, duration_ms]), is_cut }
}

test('spans of turns, of events, below them, and around them are no other steps', () => {
  const gather = span('verb:gather{inputs=speech}', 1000, 3000, recognized('Hi.'), root)
  const say = span('verb:say{text=Hello}', 3100, 4000, { text: 'Hello' }, root)
  const record = span('background-record:listen', 0, 60_000, {}, root)
  expect(
    list(
      gather,
      span('verb:hook (POST https://example.org)', 2900, 3000, {}, gather),
      say,
      span('tts-generation', 3100, 3200, { 'tts.vendor': 'google' }, say),
      span('dtmf:5', 5000, 5000, { dtmf: '5' }, root),
      record,
    ).steps,
  ).toEqual([])
})

test('other spans are, without those below them', () => {
  const config = span('verb:config', 100, 112, { 'verb.summary': 'config{recognizer}' }, root)
  const agentTurn = span('agent_turn', 7000, 8000, { 'lk.interrupted': true }, root)
  const toolTurn = span('agent_turn', 9000, 9900, {}, root)
  expect(
    list(
      config,
      span('inner', 105, 110, {}, config),
      agentTurn,
      span('llm_node', 7010, 7900, { 'lk.response.text': 'Nobody heard this.' }, agentTurn),
      // The turn contains a tool call, which is an event.
      toolTurn,
      span('function_tool', 9100, 9200, { 'lk.function_tool.name': 'book' }, toolTurn),
      span('llm_node', 9010, 9090, {}, toolTurn),
    ).steps,
  ).toEqual([
    ['config{recognizer}', 100, 12],
    ['agent_turn', 7000, 1000],
    ['llm_node', 9010, 80],
  ])
})

test('a call without turns has the spans below its own', () => {
  expect(list(span('verb:config', 100, 112, {}, root)).steps).toEqual([['config', 100, 12]])
})

test('spans in which a framework reports a turn of the platform are none', () => {
  const gather = span('verb:gather{inputs=speech}', 1000, 3000, recognized('To Lisbon.'), root)
  expect(list(gather, span('user_turn', 1000, 3000, { 'lk.user_transcript': 'To Lisbon.' }, root)).steps).toEqual([])
})

test('hostile traces take a bounded time, and are cut', () => {
  const chain: Span[] = []
  for (let at = 0; at < 5000; at += 1) chain.push(span('inner', at, at + 1, {}, chain.at(-1) ?? null))
  const [loop, many] = [span('loop', 5, 6), Array.from({ length: 5000 }, (_, at) => span('verb:config', at, at + 1))]
  const getCpuMs = startCpuClock()
  const { steps, is_cut } = list({ ...loop, parent: loop.id }, ...chain, ...many)
  expect([steps.length, is_cut]).toEqual([2000, true])
  expect(getCpuMs()).toBeLessThan(5000)
})
