import type { Random } from './seeded-random.ts'

/** What a voice bot does during a call, as the spans that the platform writes (api/4-calls-and-hosted.md §2.2). */

export interface SpannedCall {
  account_sid: string
  service_provider_sid: string
  call_sid: string
  application_sid: string
  from: string
  to: string
  /** from answer to end; nothing is said in a call of 0 */
  seconds: number
  /** whether a recording is made */
  recorded: boolean
  /** milliseconds from the attempt to the answer, and to the first ringing */
  ringing?: number
  rings?: number
  /** a leg that was made of it, milliseconds since the beginning of the call */
  dialled?: DialledLeg
}

export interface DialledLeg {
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
  /** position of the span above it; null for the root */
  parent: number | null
  /** milliseconds since the beginning of the call, which is its answer; what came before is negative */
  from: number
  until: number
  attributes: Readonly<Record<string, string | number | boolean>>
  /** why it failed */
  error?: string
}

/** What is said, and what is answered. */
const turns = [
  ['Welcome to Example Airlines. How can I help you today?', 'I would like to change my flight to Lisbon.'],
  ['Sure. What is your booking code?', 'It is X ray five seven Q.'],
  ['Thank you. Which day suits you better?', 'The day after, in the morning if there is a seat.'],
  ['There is a flight at nine fifteen. Shall I book it?', 'Yes please.'],
  ['Done. You will get a message with the details. Anything else?', 'No, that is all. Thank you.'],
] as const

const hook = 'https://hooks.example.com/voice'

const sttResult = (transcript: string, confidence: number): string =>
  JSON.stringify({
    vendor: { name: 'google' },
    language_code: 'en-US',
    is_final: true,
    alternatives: [{ transcript, confidence }],
  })

/** A span goes before what it contains. */
export const callSpans = (dice: Random, call: SpannedCall): PlannedSpan[] => {
  const { account_sid, call_sid, application_sid, from, to, seconds, recorded, dialled } = call
  const attempted = -(call.ringing ?? 0)
  const spans: PlannedSpan[] = []
  const add = (span: PlannedSpan): number => spans.push(span) - 1
  const ringing = 40 + dice.below(60)
  const over = ringing + seconds * 1000
  const facts = { callSid: call_sid, accountSid: account_sid, applicationSid: application_sid }
  const root = add({
    name: 'incoming-call',
    parent: null,
    from: attempted,
    until: over + 20,
    attributes: { ...facts, finalStatus: 200, 'call.termination': 'hangup by caller' },
  })
  const under = (name: string, begin: number, until: number, attributes: PlannedSpan['attributes'] = {}) =>
    add({ name, parent: root, from: begin, until, attributes })
  const status = (word: string, at: number, sipStatus: number) =>
    under(`call-status:${word}`, at, at + 3, {
      ...facts,
      direction: 'inbound',
      from,
      to,
      sipStatus,
      callStatus: word,
    })
  under('lookupAccountDetails', attempted + 2, attempted + 9, {})
  under('lookupApplication', attempted + 9, attempted + 14, { 'app.hook': hook, application_sid })
  status('trying', attempted + 14, 100)
  if (call.rings !== undefined) status('ringing', attempted + call.rings, 180)
  under('performAppWebhook', 18, ringing, { 'http.statusCode': 200, 'app.tasks': 'answer,config,say,gather' })
  status('in-progress', ringing + 2, 200)
  if (recorded) under('background-record:listen', ringing + 30, over)
  under('background-listen:listen', ringing + 40, over)
  let at = ringing + 60
  for (let turn = 0; at < over - 9000; turn += 1) {
    const [says, hears] = turns[turn % turns.length] ?? turns[0]
    under('verb:config', at, at + 1, { 'verb.summary': 'config{recognizer=google,en-US}' })
    const made = 60 + dice.below(200)
    const spoken = made + 55 * says.length
    const summary = `say{text=${says.slice(0, 30)}}`
    const say = under(`verb:${summary}`, at + 2, at + 2 + spoken, { 'verb.summary': summary, text: says })
    const cached = turn % 3 === 2
    const synthesis = { 'tts.vendor': 'google', 'tts.language': 'en-US', 'tts.voice': 'en-US-Wavenet-C' }
    add({
      name: 'tts-generation',
      parent: say,
      from: at + 3,
      until: at + 3 + (cached ? 2 : made),
      attributes: {
        ...synthesis,
        'tts.cached': cached,
        ...(cached ? {} : { time_to_first_byte_ms: String(made - 8) }),
      },
    })
    at += spoken + 10
    const silent = 400 + dice.below(900)
    const heard = silent + 60 * hears.length
    const latency = 220 + dice.below(500)
    const isHeard = turn % 5 !== 4
    const gather = 'gather{inputs=speech,digits,vendor=google,language=en-US}'
    const verb = under(`verb:${gather}`, at, at + heard + latency + 90, { 'verb.summary': gather })
    add({
      name: 'stt-listen:1',
      parent: verb,
      from: at + 5,
      until: at + heard + latency,
      attributes: {
        channel: 1,
        'stt.resolve': isHeard ? 'speech' : 'timeout',
        ...(isHeard ? { 'stt.result': sttResult(hears, 0.8 + dice.below(20) / 100) } : {}),
        'stt.latency_ms': String(latency),
      },
    })
    const body = { call_sid, reason: isHeard ? 'speechDetected' : 'timeout', speech: { transcript: hears } }
    const answered = 30 + dice.below(turn % 4 === 3 ? 2400 : 120)
    const isSlow = answered > 2000
    add({
      name: `verb:hook (${hook})`,
      parent: verb,
      from: at + heard + latency + 2,
      until: at + heard + latency + 2 + answered,
      attributes: { 'http.statusCode': isSlow ? 504 : 200, 'hook.url': hook, 'http.body': JSON.stringify(body) },
      ...(isSlow ? { error: 'the webhook answered 504' } : {}),
    })
    at += heard + latency + answered + 120
    if (turn === 1)
      add({
        name: 'dtmf:5',
        parent: root,
        from: at - 60,
        until: at - 40,
        attributes: { channel: 1, dtmf: '5', duration: '120ms' },
      })
  }
  if (dialled !== undefined) {
    const leg = { callSid: dialled.call_sid, accountSid: account_sid, finalStatus: dialled.sip_status }
    const above = under('outbound-call', dialled.at, dialled.over_at, leg)
    const rang = { ...leg, direction: 'outbound', from: dialled.from, to: dialled.to, sipStatus: 180 }
    const attributes = { ...rang, callStatus: 'ringing' }
    add({ name: 'call-status:ringing', parent: above, from: dialled.rings_at, until: dialled.rings_at + 3, attributes })
  }
  status('completed', over + 4, 200)
  return spans
}
