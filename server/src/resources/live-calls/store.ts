import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import { hookColumns, toStoredHook } from '../shared/webhooks.ts'

/** Fields that a new call takes from its application (docs/reference/platform-api/live-calls.md#create-a-call). */

/** Creates a reader for applications of an account, in the format of the feature server. Secrets are not masked. */
export const createCallApplications = ({ db }: Database) => {
  const rows = prepared(db, (application_sid: string, account_sid: string) =>
    db
      .selectFrom('applications')
      .leftJoin('webhooks as call_hook', 'call_hook.webhook_sid', 'applications.call_hook_sid')
      .leftJoin('webhooks as call_status_hook', 'call_status_hook.webhook_sid', 'applications.call_status_hook_sid')
      .select([
        'applications.app_json',
        'applications.speech_synthesis_vendor',
        'applications.speech_synthesis_language',
        'applications.speech_synthesis_voice',
        'applications.speech_recognizer_vendor',
        'applications.speech_recognizer_language',
      ])
      .select(hookColumns('call_hook'))
      .select(hookColumns('call_status_hook'))
      .where('applications.application_sid', '=', application_sid)
      .where('applications.account_sid', '=', account_sid),
  )
  return async (application_sid: string, account_sid: string): Promise<object | undefined> => {
    const [row] = await rows(application_sid, account_sid)
    if (row === undefined) return undefined
    return {
      call_hook: toStoredHook(row, 'call_hook', true),
      app_json: row.app_json,
      call_status_hook: toStoredHook(row, 'call_status_hook', true),
      speech_synthesis_vendor: row.speech_synthesis_vendor,
      speech_synthesis_language: row.speech_synthesis_language,
      speech_synthesis_voice: row.speech_synthesis_voice,
      speech_recognizer_vendor: row.speech_recognizer_vendor,
      speech_recognizer_language: row.speech_recognizer_language,
    }
  }
}
