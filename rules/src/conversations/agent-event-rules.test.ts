import { expect, test } from 'vitest'
import { isPartialText, withoutAudio } from './agent-event-rules.ts'

/** The events of vendors that facts name: parts of texts are not stored, and all others are. */

test.each([
  'conversation.item.input_audio_transcription.delta',
  'conversation.item.input_audio_transcription.segment',
  'conversation.item.input_audio_transcription.text',
  'response.audio_transcript.delta',
  'response.output_audio_transcript.delta',
  'response.text.delta',
  'response.output_text.delta',
  'response.function_call_arguments.delta',
  'response.mcp_call_arguments.delta',
  'tentative_user_transcript',
  'internal_tentative_agent_response',
  'agent_chat_response_part',
  'PartialTranscript',
  'interim_transcript',
  'stt.partial',
])('%s is a part of a text', (type) => {
  expect(isPartialText({ type })).toBe(true)
  expect(isPartialText({ event_type: type })).toBe(true)
})

test.each([
  { type: 'Results', is_final: false, channel: {} },
  { type: 'transcript', role: 'user', final: false, delta: '4111' },
  { serverContent: { inputTranscription: { text: '4111' } } },
  { serverContent: { outputTranscription: { text: '4111' } } },
])('%j is a part of a text', (event) => {
  expect(isPartialText(event)).toBe(true)
})

test.each([
  { type: 'user_transcript', transcript: 'a', is_final: false },
  { type: 'llm_response' },
  { type: 'turn_end' },
  { type: 'conversation.item.input_audio_transcription.completed' },
  { type: 'response.output_audio_transcript.done' },
  { type: 'response.output_audio.delta', delta: 'UklGRg==' },
  { type: 'response.audio.delta', delta: 'UklGRg==' },
  { type: 'response.done' },
  { type: 'agent_response' },
  { type: 'agent_response_correction' },
  { type: 'Results', is_final: true, speech_final: false },
  { type: 'ConversationText' },
  { type: 'transcript', final: true },
  { event_type: 'tts_spoken', text: 'a' },
  { tool_call_id: '1', name: 'delta', arguments: { final: false } },
  { serverContent: { turnComplete: true } },
])('%j is stored', (event) => {
  expect(isPartialText(event)).toBe(false)
})

test('audio is not stored, and the event is', () => {
  expect(withoutAudio({ type: 'response.audio.delta', delta: 'UklGRg==', item_id: 'a' })).toEqual({
    type: 'response.audio.delta',
    item_id: 'a',
  })
  const other = { type: 'of_2030', delta: 'text' }
  expect(withoutAudio(other)).toBe(other)
})
