import type { RecordTable } from '../shared/record-table.ts'

/**
 * `stored` is the length of the column with all of a vendor's members, encrypted; `member` is the length of each of
 * them.
 */
export const speechCredentialLengths = { vendor: 32, customName: 25, label: 64, member: 4000, stored: 8192 } as const

export const speechCredentialTable = {
  table: 'speech_credentials',
  key: 'speech_credential_sid',
  name: 'vendor',
  parts: [{ table: 'google_custom_voices' }],
  live: ['last_used', 'last_tested', 'tts_tested_ok', 'stt_tested_ok'],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade' },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade' },
  },
} as const satisfies RecordTable
