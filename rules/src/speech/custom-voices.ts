/** Validation of custom voices, shared by the form and the server (SPEECH-50 to SPEECH-52). */

export interface CustomVoice {
  name: string
  model: string
  use_voice_cloning_key: boolean
  /** True if a key is stored or a key file is selected. */
  hasKey: boolean
}

export type CustomVoiceErrors = Partial<Record<'name' | 'model' | 'voice_cloning_key_file', string>>

/** Returns errors by field. A custom voice requires a model or a cloning key. */
export const validateCustomVoice = ({
  name,
  model,
  use_voice_cloning_key,
  hasKey,
}: CustomVoice): CustomVoiceErrors => ({
  ...(name.trim() === '' ? { name: 'Enter the name' } : {}),
  ...(!use_voice_cloning_key && model.trim() === '' ? { model: 'Enter the model' } : {}),
  ...(use_voice_cloning_key && !hasKey ? { voice_cloning_key_file: 'Choose the file of the cloning key' } : {}),
})

export const visibleKeyCharacters = 100

/** Truncates a key for display. */
export const cutKey = (key: string): string => `${key.slice(0, visibleKeyCharacters)}...`
