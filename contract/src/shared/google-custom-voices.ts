/** What a custom voice needs; the form and the server share it (spec 1 §5). */

export const reportedUsages = ['REPORTED_USAGE_UNSPECIFIED', 'REALTIME', 'OFFLINE'] as const

export interface CustomVoice {
  name: string
  model: string
  use_voice_cloning_key: boolean
  /** it is stored, or its file is chosen */
  hasKey: boolean
}

export type CustomVoiceErrors = Partial<Record<'name' | 'model' | 'voice_cloning_key_file', string>>

/** What is wrong with one, by field: a voice is made of a model, or of a cloning key. */
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

/** A key is shown by its beginning. */
export const cutKey = (key: string): string => `${key.slice(0, visibleKeyCharacters)}...`
