import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

/** SQL of speech synthesis (docs/reference/platform-api/speech.md#synthesis). */

export const createSynthesisStore = ({ db }: Database) => {
  const accounts = prepared(db, (sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'is_active'])
      .where('account_sid', '=', sid),
  )
  const customVoices = prepared(db, (sid: string) =>
    db
      .selectFrom('google_custom_voices')
      .select(['speech_credential_sid', 'model', 'reported_usage', 'use_voice_cloning_key', 'voice_cloning_key'])
      .where('google_custom_voice_sid', '=', sid),
  )
  return {
    account: async (sid: string) => (await accounts(sid))[0],
    customVoice: async (sid: string) => (await customVoices(sid))[0],
  }
}
