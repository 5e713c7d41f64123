import type { AgentScript, Exchange } from './agent-scripts.ts'
import { type AddDialog, type DialogFrame, sttResult } from './call-spans.ts'
import type { Random } from './seeded-random.ts'

/**
 * The spans of a call with a voice agent that reports its model and its tools in the conventions of OpenTelemetry for
 * generative AI (docs/reference/platform-api/traces-and-captures.md#conversations).
 */

const hook = 'https://agent.example.com/turn'
const agentService = 'voice-agent'

/** Speaking takes about this time per letter. */
const promptMsPerLetter = 55
const replyMsPerLetter = 60

interface Turn {
  exchange: Exchange
  /** The caller hears the prompt from `heardAt` to `until`. */
  heardAt: number
  until: number
}

/** Adds the synthesis of a prompt. Returns when the caller hears it. */
const addPrompt = (dice: Random, { add, addChild }: DialogFrame, exchange: Exchange, at: number): Turn => {
  const { prompt, isCached = false, isInterrupted = false } = exchange
  const firstByteMs = isCached ? 0 : 90 + dice.below(160)
  const heardAt = at + firstByteMs
  const until = heardAt + Math.round(promptMsPerLetter * prompt.length * (isInterrupted ? 0.6 : 1))
  const summary = `say{text=${prompt.slice(0, 30)}}`
  const say = addChild(`verb:${summary}`, at, until, { 'verb.summary': summary, text: prompt })
  const voice = { 'tts.vendor': 'elevenlabs', 'tts.language': 'en-US', 'tts.voice': 'Rachel', 'tts.cached': isCached }
  add({
    name: 'tts-generation',
    parent: say,
    from: at,
    until: heardAt + 2,
    attributes: isCached ? voice : { ...voice, time_to_first_byte_ms: String(firstByteMs) },
  })
  return { exchange, heardAt, until }
}

/** Adds the webhook that gets the reply, with the model and the tool below it. Returns its end. */
const addAgentStep = (dice: Random, frame: DialogFrame, gather: number, { exchange, at }: AgentStep): number => {
  const { reply = '', modelMs = 350 + dice.below(450), tool } = exchange
  const end = at + 12 + (tool?.ms ?? 0) + modelMs + 30
  const body = { call_sid: frame.call_sid, reason: 'speechDetected', speech: { transcript: reply } }
  const request = frame.add({
    name: `verb:hook (${hook})`,
    parent: gather,
    from: at,
    until: end,
    attributes: { 'http.statusCode': 200, 'hook.url': hook, 'http.body': JSON.stringify(body) },
  })
  const step = { parent: request, service: agentService }
  if (tool !== undefined)
    frame.add({
      name: `execute_tool ${tool.name}`,
      from: at + 12,
      until: at + 12 + tool.ms,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name },
      ...(tool.error === undefined ? {} : { error: tool.error }),
      ...step,
    })
  frame.add({
    name: 'chat',
    from: at + 12 + (tool?.ms ?? 0),
    until: end - 5,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4.1-mini',
      'gen_ai.response.time_to_first_chunk': modelMs / 1000,
    },
    ...step,
  })
  return end
}

interface AgentStep {
  exchange: Exchange
  at: number
}

const gatherSummary = 'gather{inputs=speech,digits,vendor=deepgram,language=en-US}'

/** Adds a recognition that ends without speech. Returns its end. */
const addTimeout = ({ add, addChild }: DialogFrame, { until }: Turn): number => {
  const end = until + 5000
  const gather = addChild(`verb:${gatherSummary}`, until + 5, end, { 'verb.summary': gatherSummary })
  add({ name: 'stt-listen:1', parent: gather, from: until + 10, until: end, attributes: { 'stt.resolve': 'timeout' } })
  return end
}

/** Adds the recognition of the reply, and what follows from it. Returns the end of the last step. */
const addReply = (dice: Random, frame: DialogFrame, { exchange, heardAt, until }: Turn, reply: string): number => {
  const { isInterrupted = false, confidence = 0.86 + dice.below(12) / 100, digit } = exchange
  const pauseMs = isInterrupted ? -700 : (exchange.pauseMs ?? 350 + dice.below(500))
  const spokenFrom = until + pauseMs
  const spokenUntil = spokenFrom + replyMsPerLetter * reply.length
  const latencyMs = 180 + dice.below(260)
  const transcriptAt = spokenUntil + latencyMs
  const listensFrom = isInterrupted ? heardAt + 10 : until + 10
  const spurt = [spokenFrom, spokenUntil].map((ms) => Math.floor((frame.answeredAt + ms) / 1000))
  const gather = frame.addChild(`verb:${gatherSummary}`, listensFrom - 5, transcriptAt + 10, {
    'verb.summary': gatherSummary,
  })
  frame.add({
    name: 'stt-listen:1',
    parent: gather,
    from: listensFrom,
    until: transcriptAt,
    attributes: {
      channel: 1,
      'stt.resolve': isInterrupted ? 'speech-bargein' : 'speech',
      'stt.result': sttResult('deepgram', reply, confidence),
      'stt.latency_ms': String(latencyMs),
      'stt.talkspurts': JSON.stringify([spurt]),
    },
  })
  if (digit !== undefined)
    frame.addChild(`dtmf:${digit}`, spokenUntil - 80, spokenUntil - 60, { channel: 1, dtmf: digit, duration: '120ms' })
  return addAgentStep(dice, frame, gather, { exchange, at: transcriptAt + 5 })
}

/** Returns the dialog of a script in a company, which stops when the call ends. */
export const createAgentDialog =
  (script: AgentScript, company: string): AddDialog =>
  (dice, frame) => {
    let at = frame.from
    const exchanges = script.exchanges.map((exchange) => ({
      ...exchange,
      prompt: exchange.prompt.replace('{company}', company),
    }))
    for (const exchange of exchanges) {
      const turn = addPrompt(dice, frame, exchange, at)
      const { reply, transfer } = exchange
      if (transfer !== undefined) {
        const summary = `dial{number=${transfer}}`
        frame.addChild(`verb:${summary}`, turn.until + 20, frame.until, { 'verb.summary': summary })
        return
      }
      // The last words of the agent need no reply.
      if (reply === undefined && exchange === exchanges.at(-1)) return
      at = 15 + (reply === undefined ? addTimeout(frame, turn) : addReply(dice, frame, turn, reply))
      if (at > frame.until - 6000) return
    }
  }
