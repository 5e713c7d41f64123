import type { RecordTable } from '../shared/record-table.ts'

/** A voice cloning key is a text of about 100 kB. */
export const googleCustomVoiceLengths = { name: 64, model: 512, voice_cloning_key: 1_000_000 } as const

export const reportedUsages = ['REPORTED_USAGE_UNSPECIFIED', 'REALTIME', 'OFFLINE'] as const

export const googleCustomVoiceTable = {
  table: 'google_custom_voices',
  key: 'google_custom_voice_sid',
  name: 'name',
  references: { speech_credential_sid: { to: 'speech_credentials', onDelete: 'database' } },
} as const satisfies RecordTable
