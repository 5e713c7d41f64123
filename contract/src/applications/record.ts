import type { RecordTable } from '../shared/record-table.ts'

/**
 * `stored` is the size of the platform's TEXT columns in bytes. The columns contain the verbs as plain text and the
 * variables encrypted.
 */
export const applicationLengths = {
  name: 64,
  speech_synthesis_vendor: 64,
  speech_synthesis_language: 12,
  speech_synthesis_voice: 256,
  speech_synthesis_label: 64,
  speech_recognizer_vendor: 64,
  speech_recognizer_language: 64,
  speech_recognizer_label: 64,
  fallback_speech_synthesis_vendor: 64,
  fallback_speech_synthesis_language: 12,
  fallback_speech_synthesis_voice: 256,
  fallback_speech_synthesis_label: 64,
  fallback_speech_recognizer_vendor: 64,
  fallback_speech_recognizer_language: 64,
  fallback_speech_recognizer_label: 64,
  stored: 65_535,
} as const

export const applicationTable = {
  table: 'applications',
  key: 'application_sid',
  name: 'name',
  parts: [{ table: 'webhooks', key: 'webhook_sid' }],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', blocksMembers: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'block' },
    call_hook_sid: { to: 'webhooks', onDelete: 'block' },
    call_status_hook_sid: { to: 'webhooks', onDelete: 'block' },
    messaging_hook_sid: { to: 'webhooks', onDelete: 'block' },
  },
} as const satisfies RecordTable
