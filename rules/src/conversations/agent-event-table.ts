/**
 * Says which events of agents mean what. The table is the mapping: another vendor is another row. Events without a row are
 * stored, but are not part of the conversation.
 */

export type AgentSignalKind =
  | 'caller_started'
  | 'caller_stopped'
  | 'caller_text'
  | 'response_started'
  | 'agent_started'
  | 'agent_stopped'
  | 'agent_text'
  | 'agent_correction'
  | 'interruption'
  /** The caller begins to speak, which interrupts an agent that speaks. */
  | 'barge_in'
  /** The audio that the agent has not spoken yet is dropped: because the caller speaks, or because a program says so. */
  | 'audio_cut'
  /** The audio is dropped because the caller speaks. */
  | 'playback_cleared'
  | 'turn_end'
  | 'response_done'
  | 'tool_call'
  | 'error'

/** Names of members. A dot separates the levels. */
export type Path = string

export interface EventRule {
  /** Value of the member `type`, or undefined for events that have none. */
  type: string | undefined
  signal: AgentSignalKind
  /** A member that distinguishes events of the same type. */
  where?: { path: Path; value: string }
  /** A member of events that have no meaning for the conversation. */
  unless?: { path: Path; value: string }
  /** The first path that has a text. */
  text?: readonly Path[]
  /** Whether the event has a meaning without a text. */
  canBeEmpty?: true
  /** Member that is false if the text is a part of one. */
  final?: Path
  /** ID of the utterance, which later events about it have too. */
  item?: Path
  tool?: ToolRule
}

/** Paths of a call of a tool, below each element of `list` if there is one. */
export interface ToolRule {
  list?: Path
  id: Path
  name: Path
  arguments: Path
  /** Member that is true if the call failed. */
  failed?: Path
}

export const agentEventRules: readonly EventRule[] = [
  // The `agent` verb of jambonz. ElevenLabs has an event of the same name.
  { type: 'user_transcript', signal: 'caller_text', text: ['transcript', 'user_transcription_event.user_transcript'] },
  { type: 'llm_response', signal: 'agent_text', text: ['response'] },
  { type: 'user_interruption', signal: 'interruption' },
  { type: 'turn_end', signal: 'turn_end' },
  {
    // The body of a request to a `toolHook`.
    type: undefined,
    signal: 'tool_call',
    tool: { id: 'tool_call_id', name: 'name', arguments: 'arguments' },
  },
  // OpenAI realtime, and what the platform adds to it (`output_audio.playback_…`).
  { type: 'input_audio_buffer.speech_started', signal: 'caller_started', item: 'item_id' },
  { type: 'input_audio_buffer.speech_stopped', signal: 'caller_stopped', item: 'item_id' },
  {
    type: 'conversation.item.input_audio_transcription.completed',
    signal: 'caller_text',
    text: ['transcript'],
    item: 'item_id',
  },
  { type: 'response.created', signal: 'response_started' },
  { type: 'output_audio_buffer.started', signal: 'agent_started' },
  { type: 'output_audio.playback_started', signal: 'agent_started' },
  { type: 'output_audio.playback_stopped', signal: 'agent_stopped' },
  { type: 'output_audio_buffer.stopped', signal: 'agent_stopped' },
  { type: 'output_audio_buffer.cleared', signal: 'audio_cut' },
  { type: 'conversation.item.truncated', signal: 'audio_cut' },
  { type: 'response.output_audio.delta', signal: 'agent_started' },
  { type: 'response.audio.delta', signal: 'agent_started' },
  { type: 'response.output_audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  { type: 'response.audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  {
    type: 'response.function_call_arguments.done',
    signal: 'tool_call',
    tool: { id: 'call_id', name: 'name', arguments: 'arguments' },
  },
  {
    // Some events with the arguments of a function do not contain its name.
    type: 'response.output_item.done',
    signal: 'tool_call',
    tool: { id: 'item.call_id', name: 'item.name', arguments: 'item.arguments' },
  },
  { type: 'response.done', signal: 'response_done' },
  {
    type: 'conversation.item.input_audio_transcription.failed',
    signal: 'error',
    text: ['error.message', 'error.code', 'error.type'],
  },
  {
    type: 'error',
    // The application canceled a response that was complete at the same time.
    unless: { path: 'error.code', value: 'response_cancel_not_active' },
    signal: 'error',
    text: ['error.message', 'message', 'error'],
  },
  // ElevenLabs agents.
  { type: 'agent_response', signal: 'agent_text', text: ['agent_response_event.agent_response'] },
  {
    type: 'agent_response_correction',
    signal: 'agent_correction',
    text: ['agent_response_correction_event.corrected_agent_response'],
  },
  { type: 'interruption', signal: 'interruption' },
  {
    type: 'client_tool_call',
    signal: 'tool_call',
    tool: {
      id: 'client_tool_call.tool_call_id',
      name: 'client_tool_call.tool_name',
      arguments: 'client_tool_call.parameters',
    },
  },
  {
    type: 'agent_tool_response',
    signal: 'tool_call',
    tool: {
      id: 'agent_tool_response.tool_call_id',
      name: 'agent_tool_response.tool_name',
      arguments: 'agent_tool_response.parameters',
      failed: 'agent_tool_response.is_error',
    },
  },
  // Deepgram voice agents.
  { type: 'UserStartedSpeaking', signal: 'barge_in' },
  { type: 'AgentStartedSpeaking', signal: 'agent_started' },
  { type: 'ConversationText', where: { path: 'role', value: 'user' }, signal: 'caller_text', text: ['content'] },
  { type: 'ConversationText', where: { path: 'role', value: 'assistant' }, signal: 'agent_text', text: ['content'] },
  {
    type: 'FunctionCallRequest',
    signal: 'tool_call',
    tool: { list: 'functions', id: 'id', name: 'name', arguments: 'arguments' },
  },
  { type: 'Error', signal: 'error', text: ['description', 'message'] },
  // Ultravox.
  { type: 'transcript', where: { path: 'role', value: 'user' }, final: 'final', signal: 'caller_text', text: ['text'] },
  {
    type: 'transcript',
    where: { path: 'role', value: 'agent' },
    final: 'final',
    signal: 'agent_text',
    text: ['text'],
    // The text can come in parts only (`delta`), which are not stored.
    canBeEmpty: true,
  },
  { type: 'playback_clear_buffer', signal: 'playback_cleared' },
  ...['client_tool_invocation', 'data_connection_tool_invocation'].map(
    (type): EventRule => ({
      type,
      signal: 'tool_call',
      tool: { id: 'invocationId', name: 'toolName', arguments: 'parameters' },
    }),
  ),
  // Gemini Live.
  {
    type: undefined,
    signal: 'tool_call',
    tool: { list: 'toolCall.functionCalls', id: 'id', name: 'name', arguments: 'args' },
  },
]
