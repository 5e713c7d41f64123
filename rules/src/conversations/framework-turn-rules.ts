import type { Turn } from '@patchbay/contract/conversations'

/**
 * Says which spans of agent frameworks are turns: LiveKit agents, and Pipecat. The table is the mapping: another framework
 * is another row.
 */

export interface TurnRule {
  speaker: Turn['speaker']
  /** Name of the span of a turn, and an attribute that it has, if other programs use the same name. */
  span: string
  identifiedBy?: string
  /** Name of the child spans that contain the text if the span of the turn does not. */
  part: string
  /** Name of the child spans that contain the text if there are no parts: of speech-to-speech models. */
  alternative?: string
  /** Whether parts with a text can be outside of any turn. */
  hasStrayParts?: true
  /**
   * Proves speech in a turn without a text of its own: the decision that it has ended, its parts, or the audio or the time
   * until it. Noise can begin a turn that never ends, and a model can write a response that is not heard.
   */
  spokenIf: 'decision' | 'parts' | 'audio'
  /** The first attribute that is not empty has the text. Frameworks rename it. */
  text: readonly string[]
  /** Name of a span below it that takes as long as its audio. */
  audio?: string
  /** Attribute with the seconds from the end of the caller's speech to the end of the span. */
  endDelay?: string
  /** Attribute with the seconds from the end of the caller's speech to its text. */
  textDelay?: string
  /** Attribute of a part with the seconds from its start to the first audio. */
  firstByte?: string
  /** Attribute with the seconds from the end of the caller's speech to the first audio of the agent. */
  latency?: string
  /** Attribute that says whether the caller interrupted the turn. */
  interrupted?: string
  /** Attribute that says what interrupted the turn, and its values for the caller. Others are for the program itself. */
  interruptedBy?: { attribute: string; caller: readonly string[] }
  /**
   * Name of the span of the session. Without `interruptedBy`, a turn that ends together with it was not interrupted: its
   * framework reports the end of the call as an interruption, too.
   */
  session?: string
  /** Attribute that says whether the turn ended because the call did, which its framework reports as an interruption. */
  endedWithCall?: string
  /** Attributes with the vendor of the recognition or the synthesis. */
  vendor?: readonly string[]
  /** Whether the span of an agent's turn ends with its audio. */
  endsWithAudio?: true
  /** Whether the text of the span itself is what was spoken until an interruption. */
  hasSpokenText?: true
}

const providers = ['gen_ai.provider.name', 'gen_ai.system'] as const

export const turnRules: readonly TurnRule[] = [
  {
    speaker: 'caller',
    span: 'user_turn',
    part: 'eou_detection',
    spokenIf: 'decision',
    text: ['lk.user_transcript', 'lk.pii.user_transcript'],
    endDelay: 'lk.end_of_turn_delay',
    textDelay: 'lk.transcription_delay',
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'agent_turn',
    part: 'llm_node',
    spokenIf: 'audio',
    text: ['lk.response.text', 'lk.pii.response.text'],
    audio: 'agent_speaking',
    latency: 'lk.e2e_latency',
    interrupted: 'lk.interrupted',
    interruptedBy: { attribute: 'lk.interruption.source', caller: ['audio_activity', 'user_turn'] },
    session: 'agent_session',
    endsWithAudio: true,
    hasSpokenText: true,
  },
  {
    speaker: 'caller',
    span: 'turn',
    identifiedBy: 'turn.number',
    part: 'stt',
    hasStrayParts: true,
    spokenIf: 'parts',
    text: ['transcript'],
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'turn',
    identifiedBy: 'turn.number',
    part: 'tts',
    alternative: 'llm_response',
    hasStrayParts: true,
    spokenIf: 'parts',
    text: ['text', 'output'],
    firstByte: 'metrics.ttfb',
    latency: 'turn.user_bot_latency_seconds',
    interrupted: 'turn.was_interrupted',
    endedWithCall: 'turn.ended_by_conversation_end',
    vendor: providers,
  },
]
