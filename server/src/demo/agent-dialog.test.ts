import { buildConversation } from '@patchbay/rules/conversations/build-conversation'
import { parseSpans } from '@patchbay/rules/traces/traces'
import { expect, test } from 'vitest'
import { createAgentDialog } from './agent-dialog.ts'
import { type AgentScript, agentScripts, getScripts } from './agent-scripts.ts'
import { toResourceSpans } from './call-details.ts'
import { callFacts } from './call-records.ts'
import { callSpans } from './call-spans.ts'
import { accountName, industries } from './names.ts'
import { createRandom } from './seeded-random.ts'

const seconds = 70

/** Builds the conversation of a demo call with this script. */
const converse = (script: AgentScript, position: number) => {
  const dice = createRandom(position + 1)
  const owner = { account_sid: 'a', service_provider_sid: 'p', call_sid: `call-${position}`, at: 1_764_000_000_000 }
  const call = { ...callFacts(dice, owner), answered: true, seconds }
  const answeredAt = call.at + call.ringing
  const facts = { ...call, dialled: undefined, application_sid: 'x', recorded: true, answeredAt }
  const { dialled: _none, ...spanned } = facts
  const spans = callSpans(dice, spanned, createAgentDialog(script, 'Alder Dental'))
  expect(Math.max(...spans.map(({ until }) => until))).toBeLessThanOrEqual(seconds * 1000 + 200)
  const resourceSpans = toResourceSpans(dice, call, spans)
  return buildConversation({ spans: parseSpans({ resourceSpans }), isTraceCut: false })
}

const conversations = agentScripts.map(converse)

test.each(conversations.map((one, script) => [script, one] as const))(
  'script %i is a conversation with an agent that reports its model',
  (_, built) => {
    expect(built?.sources.map(({ service }) => service)).toEqual(['jambonz-feature-server', 'voice-agent'])
    expect(built?.turns.length).toBeGreaterThanOrEqual(5)
    const gaps = (built?.turns ?? []).flatMap(({ gap }) => gap ?? [])
    expect(gaps.length).toBeGreaterThanOrEqual(2)
    for (const { parts } of gaps)
      expect(parts.find(({ kind }) => kind === 'model_first_token')).toMatchObject({
        evidence: 'measured',
        source: 'voice-agent',
      })
  },
)

test('together, the scripts contain every kind of event, interruptions, slow responses, and unclear speech', () => {
  const turns = conversations.flatMap((one) => one?.turns ?? [])
  const events = conversations.flatMap((one) => one?.events ?? [])
  expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['dtmf', 'no_input', 'transfer', 'tool_call']))
  expect(events.filter(({ error }) => error !== undefined).length).toBeGreaterThanOrEqual(1)
  expect(turns.filter(({ interruption }) => interruption?.by === 'caller').length).toBeGreaterThanOrEqual(3)
  expect(turns.filter(({ gap }) => (gap?.duration_ms ?? 0) >= 1500).length).toBeGreaterThanOrEqual(5)
  expect(turns.filter(({ confidence }) => (confidence ?? 1) < 0.6).length).toBeGreaterThanOrEqual(4)
})

test('each company has conversations of its industry, in which the agent says its name', () => {
  for (const industry of industries)
    expect([industry, getScripts(`Alder ${industry}`).length]).not.toEqual([industry, 0])
  for (let position = 0; position < 600; position += 1) {
    const scripts = getScripts(accountName(position))
    expect(scripts.length).toBeGreaterThan(0)
    for (const { exchanges } of scripts) expect(exchanges[0]?.prompt).toContain('{company}')
  }
  // The first account has half of the calls.
  expect(getScripts(accountName(0)).length).toBeGreaterThanOrEqual(4)
})
