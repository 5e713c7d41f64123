/**
 * The steps that a caller waits for, in the order of the pipeline. In a module without schemas, because the console derives
 * conversations itself on a server without this extension.
 */
export const gapPartKinds = [
  'endpointing',
  'speech_to_text',
  'model_first_token',
  'application',
  'text_to_speech_first_byte',
  'unattributed',
] as const
export type GapPartKind = (typeof gapPartKinds)[number]

export const gapPartLabels = {
  endpointing: 'Endpointing',
  speech_to_text: 'Speech to text',
  model_first_token: 'Model, first token',
  application: 'Application',
  text_to_speech_first_byte: 'Text to speech, first byte',
  unattributed: 'Unattributed',
} as const satisfies Record<GapPartKind, string>
