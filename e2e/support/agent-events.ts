import { createHmac } from 'node:crypto'
import type { Api } from './test.ts'

interface EventfulCall {
  account_sid: string
  call_sid: string
  /** Milliseconds since the Unix epoch. */
  attempted_at: number
}

/** An event of an agent, and the milliseconds since the start of the call at which its application received it. */
export type TimedEvent = readonly [at: number, event: object]

/** Sends events of an agent to the intake, signed with the webhook secret of the account. */
export const sendAgentEvents = async (
  api: Api,
  { account_sid, call_sid, attempted_at }: EventfulCall,
  events: readonly TimedEvent[],
): Promise<void> => {
  const { body } = await api.send('GET', `/Accounts/${account_sid}/WebhookSecret`)
  const payload = JSON.stringify(events.map(([at, event], seq) => ({ call_sid, at: attempted_at + at, seq, event })))
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', body.webhook_secret).update(`${seconds}.${payload}`).digest('hex')
  const response = await fetch(`${api.url}/v1/patchbay/Accounts/${account_sid}/ConversationEvents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'jambonz-signature': `t=${seconds},v1=${signature}` },
    body: payload,
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${answer}`)
}

const latency = { transcriber_latency: 180, turn_detection_latency: 90, model_latency: 400, voice_latency: 120 }

/** A conversation with a response after 790 ms, a tool call, and a turn of the agent that the caller interrupts. */
export const agentDialog: readonly TimedEvent[] = [
  [5000, { type: 'user_transcript', transcript: 'I want to fly to Lisbon.' }],
  [5100, { tool_call_id: 'c1', name: 'find_flights', arguments: { to: 'LIS' } }],
  [
    7900,
    {
      type: 'turn_end',
      transcript: 'I want to fly to Lisbon.',
      response: 'Which day?',
      interrupted: false,
      latency,
      llm: { model: 'gpt-5' },
      usage: { input_tokens: 700, output_tokens: 20 },
    },
  ],
  [9000, { type: 'user_transcript', transcript: 'On Monday.' }],
  [9400, { type: 'llm_response', response: 'There is a flight at nine fifteen. Shall I book it?' }],
  [11_000, { type: 'user_interruption' }],
  [
    11_100,
    {
      type: 'turn_end',
      transcript: 'On Monday.',
      response: 'There is a flight',
      interrupted: true,
      latency,
      llm: { model: 'gpt-5' },
      usage: { input_tokens: 800, output_tokens: 30 },
    },
  ],
]
