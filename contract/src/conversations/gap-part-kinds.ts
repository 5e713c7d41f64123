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
