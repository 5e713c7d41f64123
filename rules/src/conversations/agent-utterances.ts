import type { Turn } from '@patchbay/contract/conversations'
import { type AgentSignal, readPath, readText, type ToolCall, toSignal } from './agent-event-rules.ts'
import type { AgentEvent } from './agent-events.ts'
import { type Latency, readLatency, readModel, readTokens } from './agent-reports.ts'

/**
 * Assembles the events of an agent to utterances. Pure. Times are milliseconds by the clock of the application, and
 * undefined if no event says them.
 */

export interface AgentUtterance {
  speaker: Turn['speaker']
  text: string
  start: number | undefined
  /** When the model began to respond, which is before the audio. */
  responseStart: number | undefined
  end: number | undefined
  /** For the caller: when the transcript was there. For the agent: when the text was there. */
  reported: number | undefined
  /** When the caller interrupted the utterance. */
  interruptedAt: number | undefined
  /** Whether the text is the one that was spoken until the interruption. */
  isSpokenText: boolean
  latency: Latency
  tokens: Turn['tokens']
  model: string | null
  /** The utterance of the caller before the response, if the same turn contains it. */
  request: AgentUtterance | undefined
  /** Members of a turn that only the span of a framework has. */
  members?: Pick<Turn, 'span_id' | 'confidence' | 'vendor' | 'language' | 'voice'>
}

export const createUtterance = (speaker: Turn['speaker'], members: Partial<AgentUtterance>): AgentUtterance => ({
  speaker,
  text: '',
  start: undefined,
  responseStart: undefined,
  end: undefined,
  reported: undefined,
  interruptedAt: undefined,
  isSpokenText: false,
  latency: [],
  tokens: null,
  model: null,
  request: undefined,
  ...members,
})

/** A caller pauses for less than this within an utterance. */
const maxSpeechPauseMs = 3000

/** The fastest speech. A text that is spoken for a shorter time is not complete. */
const minMsPerCharacter = 40

class Assembler {
  readonly utterances: AgentUtterance[] = []
  readonly toolCalls: { at: number; tool: ToolCall }[] = []
  readonly errors: { at: number; message: string }[] = []
  /** A vendor and the application can report the same call of a tool, and its failure later. */
  readonly #toolsById = new Map<string, { at: number; tool: ToolCall }>()
  /**
   * Speech of the caller that has no text yet, by the ID of its utterance. Texts can arrive after the response, or never:
   * vendors transcribe only if the application wants it.
   */
  readonly #speech = new Map<string, AgentUtterance>()
  #agentStart: number | undefined
  /** The utterance of the response that is not complete, until the caller speaks. */
  #inResponse: AgentUtterance | undefined
  /** The last utterance of the response whose end is not reported, although the caller has spoken since. */
  #ofResponse: AgentUtterance | undefined
  /** The utterance of a complete response of which only the audio is reported so far. */
  #withoutText: AgentUtterance | undefined
  #responseStart: number | undefined
  /** When audio was cut that has no utterance yet, because its text is not there. */
  #cutAt: number | undefined
  /** The utterances since the last end of a turn. */
  #turn: { caller: AgentUtterance[]; agent: AgentUtterance[]; interruptedAt: number | undefined } = this.#startTurn()

  #startTurn() {
    return { caller: [], agent: [], interruptedAt: undefined }
  }

  #addCaller(members: Partial<AgentUtterance>): AgentUtterance {
    this.#inResponse = undefined
    const utterance = createUtterance('caller', members)
    this.utterances.push(utterance)
    this.#turn.caller.push(utterance)
    return utterance
  }

  #addAgent(members: Partial<AgentUtterance>): AgentUtterance {
    const utterance = createUtterance('agent', {
      ...members,
      start: this.#agentStart,
      responseStart: this.#responseStart,
      request: this.#turn.caller.at(-1),
    })
    this.#agentStart = undefined
    this.#responseStart = undefined
    this.#inResponse = utterance
    this.#ofResponse = utterance
    this.utterances.push(utterance)
    this.#turn.agent.push(utterance)
    if (this.#cutAt !== undefined) this.#cutAudio(this.#cutAt, utterance)
    this.#cutAt = undefined
    return utterance
  }

  #startSpeech(item: string, start: number): void {
    const last = this.#speech.get(item)
    const isRepeated = last !== undefined && (item !== '' || last.end === undefined)
    if (!isRepeated) this.#speech.set(item, this.#addCaller({ start }))
    // Without an ID, the event before can be of noise, which gets no text.
    else if (item === '' && start - (last.start ?? start) > maxSpeechPauseMs) last.start = start
  }

  /** Notes when the audio of a response began. Its text can be there earlier, and its audio come in many parts. */
  #startAudio(at: number): void {
    if (this.#inResponse === undefined) this.#agentStart ??= at
    else this.#inResponse.start ??= at
  }

  #stopAudio(at: number): void {
    const spoken = this.utterances.findLast(({ speaker }) => speaker === 'agent')
    if (spoken?.start !== undefined && at >= spoken.start) spoken.end ??= at
  }

  /** Adds the text of speech whose times are known, or an utterance without them. */
  #addCallerText(item: string, text: string, reported: number): void {
    const speech = this.#speech.get(item)
    if (speech === undefined) this.#addCaller({ text, reported })
    else Object.assign(speech, { text, reported })
    this.#speech.delete(item)
  }

  /** Returns whether the caller has begun to speak since an utterance of the agent began. */
  #hasCallerSpoken({ start, reported }: AgentUtterance): boolean {
    const since = start ?? reported ?? Infinity
    return this.utterances.some((one) => one.speaker === 'caller' && one.start !== undefined && one.start >= since)
  }

  /** Notes that the caller speaks, if the agent has certainly not finished its utterance. */
  #interruptSpeech(at: number): void {
    const spoken = this.utterances.at(-1)
    if (spoken?.speaker !== 'agent' || spoken.end !== undefined) return
    const begin = spoken.start ?? spoken.reported
    if (begin !== undefined && at >= begin && at - begin < spoken.text.length * minMsPerCharacter) this.#interrupt(at)
  }

  /** Ends an utterance whose audio was dropped. Programs drop audio for other reasons, too. */
  #cutAudio(at: number, spoken: AgentUtterance | undefined): void {
    if (spoken === undefined) return
    if (this.#hasCallerSpoken(spoken)) spoken.interruptedAt ??= at
    spoken.end ??= at
  }

  #interrupt(at: number): void {
    this.#turn.interruptedAt = at
    const spoken = this.#turn.agent.at(-1)
    if (spoken === undefined) return
    spoken.interruptedAt ??= at
    spoken.end ??= at
  }

  /** The platform reports the whole turn at its end. The response is what was really spoken. */
  #endTurn({ at, event }: AgentSignal): void {
    const [reported, text = ''] = [readText(event, 'transcript'), readText(event, 'response')]
    const transcript = reported ?? ''
    if (this.#turn.caller.length === 0 && transcript !== '') this.#addCaller({ text: transcript })
    if (this.#turn.agent.length === 0 && text !== '') this.#addAgent({ text })
    // Words of the agent before those of the caller, such as a greeting, are not a part of the answer.
    const answers = this.#turn.agent.filter(({ request }) => request !== undefined)
    const ofTurn = reported === '' || answers.length === 0 ? this.#turn.agent : answers
    const [first, last] = [ofTurn[0], ofTurn.at(-1)]
    // The agent spoke without a question, so earlier words of the caller have not caused the turn.
    if (reported === '') for (const utterance of this.#turn.agent) utterance.request = undefined
    if (first !== undefined && last !== undefined) {
      if (first === last && text !== '') {
        first.text = text
        first.isSpokenText = event['interrupted'] === true
      }
      first.latency = readLatency(event)
      first.tokens = readTokens(event) ?? first.tokens
      first.model = readModel(event) ?? first.model
      if (event['interrupted'] === true) last.interruptedAt ??= this.#turn.interruptedAt ?? at
      last.end = last.interruptedAt ?? at
    }
    // The end of an interrupted turn can arrive after the words that interrupted it, which begin the next one.
    const later = last === undefined ? [] : this.utterances.slice(this.utterances.lastIndexOf(last) + 1)
    const unanswered = later.filter(({ speaker, text: spoken }) => speaker === 'caller' && !transcript.includes(spoken))
    this.#turn = { ...this.#startTurn(), caller: unanswered }
  }

  #endResponse({ at, event }: AgentSignal): void {
    const status = readPath(event, 'response.status')
    if (status === 'failed' || status === 'incomplete') {
      const paths = ['response.status_details.error.message', 'response.status_details.reason']
      const reason = paths.map((path) => readText(event, path)).find(Boolean)
      this.errors.push({ at, message: `Response ${status}${reason === undefined ? '' : `: ${reason}`}` })
    }
    // Audio without a text.
    if (this.#agentStart !== undefined) this.#withoutText = this.#addAgent({ reported: at })
    this.#inResponse = undefined
    const spoken = this.#ofResponse
    this.#ofResponse = undefined
    // A response that only calls tools, or was canceled before its audio, has no utterance.
    if (spoken === undefined) return
    spoken.tokens ??= readTokens(event)
    spoken.model ??= readModel(event)
    if (status !== 'cancelled') return
    if (readPath(event, 'response.status_details.reason') === 'turn_detected') spoken.interruptedAt ??= at
    this.#cutAudio(at, spoken)
  }

  add(signal: AgentSignal): void {
    const { is, at, text, item = '', tools } = signal
    switch (is) {
      case 'caller_started':
        return this.#startSpeech(item, at)
      case 'caller_stopped': {
        const speech = this.#speech.get(item) ?? this.#addCaller({})
        speech.end = at
        this.#speech.set(item, speech)
        return
      }
      case 'caller_text':
        return this.#addCallerText(item, text, at)
      case 'response_started':
        this.#responseStart = at
        this.#inResponse = undefined
        this.#ofResponse = undefined
        this.#withoutText = undefined
        this.#cutAt = undefined
        return
      case 'agent_started':
        return this.#startAudio(at)
      case 'agent_stopped':
        return this.#stopAudio(at)
      case 'agent_text':
        if (this.#withoutText === undefined) this.#addAgent({ text, reported: at })
        else this.#withoutText.text = text
        this.#withoutText = undefined
        return
      case 'agent_correction': {
        const spoken = this.#turn.agent.at(-1)
        if (spoken === undefined) return
        spoken.text = text
        spoken.isSpokenText = true
        return
      }
      case 'interruption':
        return this.#interrupt(at)
      case 'barge_in':
        this.#interruptSpeech(at)
        return this.#startSpeech(item, at)
      case 'playback_cleared':
        return this.#interruptSpeech(at)
      case 'audio_cut':
        if (this.#ofResponse === undefined && this.#agentStart !== undefined) this.#cutAt ??= at
        else this.#cutAudio(at, this.#ofResponse ?? this.#turn.agent.at(-1))
        return
      case 'turn_end':
        return this.#endTurn(signal)
      case 'response_done':
        return this.#endResponse(signal)
      case 'tool_call':
        for (const tool of tools) this.#addToolCall(at, tool)
        return
      case 'error':
        this.errors.push({ at, message: text })
    }
  }

  #addToolCall(at: number, tool: ToolCall): void {
    const earlier = tool.id === '' ? undefined : this.#toolsById.get(tool.id)
    if (earlier !== undefined) {
      earlier.tool = { ...earlier.tool, isFailed: earlier.tool.isFailed || tool.isFailed }
      return
    }
    const toolCall = { at, tool }
    this.#toolsById.set(tool.id, toolCall)
    this.toolCalls.push(toolCall)
  }
}

/** Returns the utterances in the order of their reports, the calls of tools, and errors. */
export const assembleUtterances = (
  events: readonly AgentEvent[],
): Pick<Assembler, 'utterances' | 'toolCalls' | 'errors'> => {
  const assembler = new Assembler()
  for (const event of events.toSorted((a, b) => a.seq - b.seq)) {
    const signal = toSignal(event)
    if (signal !== undefined) assembler.add(signal)
  }
  return assembler
}
