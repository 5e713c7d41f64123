import type { Random } from './seeded-random.ts'

/**
 * The spans of a call with a voice bot, as jambonz writes them
 * (docs/reference/platform-api/traces-and-captures.md#spans).
 */

export interface SpannedCall {
  account_sid: string
  service_provider_sid: string
  call_sid: string
  application_sid: string
  from: string
  to: string
  /** Seconds from the answer to the end. A call of 0 seconds contains no dialog. */
  seconds: number
  /** Whether the call is recorded. */
  recorded: boolean
  /** Milliseconds from the attempt to the answer, and to the first ringing. */
  ringing?: number
  rings?: number
  /** Time of the answer, in milliseconds since the Unix epoch. Only dialogs with an agent need it. */
  answeredAt?: number
  /** Outbound leg of the call. Its times are milliseconds since the start of the call. */
  dialled?: DialedLeg
}

export interface DialedLeg {
  call_sid: string
  from: string
  to: string
  sip_status: number
  at: number
  rings_at: number
  over_at: number
}

export interface PlannedSpan {
  name: string
  /** Position of the parent span. Null for the root. */
  parent: number | null
  /** Milliseconds relative to the answer of the call. Negative for earlier events. */
  from: number
  until: number
  attributes: Readonly<Record<string, string | number | boolean>>
  /** Error message of a failed span. */
  error?: string
  /** Component that writes the span, if it is not the feature server. */
  service?: string
}

/** The call of a dialog, and functions that add spans to it. Times are milliseconds relative to the answer. */
export interface DialogFrame {
  call_sid: string
  /** Milliseconds since the Unix epoch. */
  answeredAt: number
  from: number
  until: number
  add: (span: PlannedSpan) => number
  /** Adds a span below the root. Returns its position. */
  addChild: (name: string, from: number, until: number, attributes?: PlannedSpan['attributes']) => number
}

/** Adds the spans of what the caller and the platform say. */
export type AddDialog = (dice: Random, frame: DialogFrame) => void

type BotDialog = readonly (readonly [prompt: string, reply: string])[]

/** Prompts of the voice bot of an airline, and replies of the caller. */
const airlineDialog: BotDialog = [
  ['Welcome to Example Airlines. How can I help you today?', 'I would like to change my flight to Lisbon.'],
  ['Sure. What is your booking code?', 'It is X ray five seven Q.'],
  ['Thank you. Which day suits you better?', 'The day after, in the morning if there is a seat.'],
  ['There is a flight at nine fifteen. Shall I book it?', 'Yes please.'],
  ['Done. You will get a message with the details. Anything else?', 'No, that is all. Thank you.'],
]

/** Returns what the voice bot of any company says. */
export const createCompanyDialog = (company: string): BotDialog => [
  [`Welcome to ${company}. How can I help you today?`, 'I would like to talk to someone about my contract.'],
  ['Sure. What is your customer number?', 'It is five seven zero four.'],
  ['Thank you. Which day suits you for a call?', 'Tomorrow, in the morning if that is possible.'],
  ['A colleague has time at nine fifteen. Shall I note it?', 'Yes please.'],
  ['Done. You will get a message with the details. Anything else?', 'No, that is all. Thank you.'],
]

const hook = 'https://hooks.example.com/voice'

export const sttResult = (vendor: string, transcript: string, confidence: number): string =>
  JSON.stringify({
    vendor: { name: vendor },
    language_code: 'en-US',
    is_final: true,
    alternatives: [{ transcript, confidence }],
  })

/** Returns a dialog with a bot without an agent, which repeats until the call ends. */
export const createBotDialog =
  (dialog: BotDialog): AddDialog =>
  (dice, { call_sid, from, until, add, addChild }) => {
    let at = from
    for (let turn = 0; at < until - 9000; turn += 1) {
      const [prompt, reply] = dialog[turn % dialog.length] ?? ['', '']
      addChild('verb:config', at, at + 1, { 'verb.summary': 'config{recognizer=google,en-US}' })
      const generationMs = 60 + dice.below(200)
      const speechMs = generationMs + 55 * prompt.length
      const summary = `say{text=${prompt.slice(0, 30)}}`
      const say = addChild(`verb:${summary}`, at + 2, at + 2 + speechMs, { 'verb.summary': summary, text: prompt })
      const cached = turn % 3 === 2
      const synthesis = { 'tts.vendor': 'google', 'tts.language': 'en-US', 'tts.voice': 'en-US-Wavenet-C' }
      add({
        name: 'tts-generation',
        parent: say,
        from: at + 3,
        until: at + 3 + (cached ? 2 : generationMs),
        attributes: {
          ...synthesis,
          'tts.cached': cached,
          ...(cached ? {} : { time_to_first_byte_ms: String(generationMs - 8) }),
        },
      })
      at += speechMs + 10
      const silenceMs = 400 + dice.below(900)
      const listenMs = silenceMs + 60 * reply.length
      const latencyMs = 220 + dice.below(500)
      const isHeard = turn % 5 !== 4
      const gather = 'gather{inputs=speech,digits,vendor=google,language=en-US}'
      const verb = addChild(`verb:${gather}`, at, at + listenMs + latencyMs + 90, { 'verb.summary': gather })
      add({
        name: 'stt-listen:1',
        parent: verb,
        from: at + 5,
        until: at + listenMs + latencyMs,
        attributes: {
          channel: 1,
          'stt.resolve': isHeard ? 'speech' : 'timeout',
          ...(isHeard ? { 'stt.result': sttResult('google', reply, 0.8 + dice.below(20) / 100) } : {}),
          'stt.latency_ms': String(latencyMs),
        },
      })
      const body = { call_sid, reason: isHeard ? 'speechDetected' : 'timeout', speech: { transcript: reply } }
      const hookMs = 30 + dice.below(turn % 4 === 3 ? 2400 : 120)
      const isSlow = hookMs > 2000
      add({
        name: `verb:hook (${hook})`,
        parent: verb,
        from: at + listenMs + latencyMs + 2,
        until: at + listenMs + latencyMs + 2 + hookMs,
        attributes: { 'http.statusCode': isSlow ? 504 : 200, 'hook.url': hook, 'http.body': JSON.stringify(body) },
        ...(isSlow ? { error: 'the webhook answered 504' } : {}),
      })
      at += listenMs + latencyMs + hookMs + 120
      if (turn === 1) addChild('dtmf:5', at - 60, at - 40, { channel: 1, dtmf: '5', duration: '120ms' })
    }
  }

/** Creates the spans of a call. Parents come before their children. */
export const callSpans = (
  dice: Random,
  call: SpannedCall,
  addDialog: AddDialog = createBotDialog(airlineDialog),
): PlannedSpan[] => {
  const { account_sid, call_sid, application_sid, from, to, seconds, recorded, dialled } = call
  const attempted = -(call.ringing ?? 0)
  const spans: PlannedSpan[] = []
  const add = (span: PlannedSpan): number => spans.push(span) - 1
  const ringing = 40 + dice.below(60)
  const endsAt = ringing + seconds * 1000
  const facts = { callSid: call_sid, accountSid: account_sid, applicationSid: application_sid }
  const root = add({
    name: 'incoming-call',
    parent: null,
    from: attempted,
    until: endsAt + 20,
    attributes: { ...facts, finalStatus: 200, 'call.termination': 'hangup by caller' },
  })
  const addChild = (name: string, begin: number, until: number, attributes: PlannedSpan['attributes'] = {}) =>
    add({ name, parent: root, from: begin, until, attributes })
  const status = (word: string, at: number, sipStatus: number) =>
    addChild(`call-status:${word}`, at, at + 3, {
      ...facts,
      direction: 'inbound',
      from,
      to,
      sipStatus,
      callStatus: word,
    })
  addChild('lookupAccountDetails', attempted + 2, attempted + 9, {})
  addChild('lookupApplication', attempted + 9, attempted + 14, { 'app.hook': hook, application_sid })
  status('trying', attempted + 14, 100)
  if (call.rings !== undefined) status('ringing', attempted + call.rings, 180)
  addChild('performAppWebhook', 18, ringing, { 'http.statusCode': 200, 'app.tasks': 'answer,config,say,gather' })
  status('in-progress', ringing + 2, 200)
  if (recorded) addChild('background-record:listen', ringing + 30, endsAt)
  addChild('background-listen:listen', ringing + 40, endsAt)
  const answeredAt = call.answeredAt ?? 0
  addDialog(dice, { call_sid, answeredAt, from: ringing + 60, until: endsAt, add, addChild })
  if (dialled !== undefined) {
    const leg = { callSid: dialled.call_sid, accountSid: account_sid, finalStatus: dialled.sip_status }
    const outboundSpan = addChild('outbound-call', dialled.at, dialled.over_at, leg)
    const ringingAttributes = { ...leg, direction: 'outbound', from: dialled.from, to: dialled.to, sipStatus: 180 }
    const attributes = { ...ringingAttributes, callStatus: 'ringing' }
    add({
      name: 'call-status:ringing',
      parent: outboundSpan,
      from: dialled.rings_at,
      until: dialled.rings_at + 3,
      attributes,
    })
  }
  status('completed', endsAt + 4, 200)
  return spans
}
