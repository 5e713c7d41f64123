import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** The speech services that an account may use (docs/reference/platform-api/speech.md#speech-credentials). */

type Where = ExpressionBuilder<Tables, 'speech_credentials' | 'accounts'>

/** Matches credentials that a provider shares with all of its accounts. */
const isShared = (where: Where, provider: string) =>
  where.and([
    where('speech_credentials.account_sid', 'is', null),
    where('speech_credentials.service_provider_sid', '=', provider),
  ])

/**
 * Matches credentials that an account may use: its own, and the shared ones of its provider. `account` or `provider` is
 * empty if there is none.
 */
export const isUsable = (where: Where, account: string, provider: string) =>
  where.or([where('speech_credentials.account_sid', '=', account), isShared(where, provider)])

/** Selects which services an account may use, without their keys. */
export const selectUsableServices = (db: Kysely<Tables>, account: string, provider: string) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(['vendor', 'label', 'use_for_tts', 'use_for_stt', 'tts_tested_ok', 'stt_tested_ok'])
    .where((where) => isUsable(where, account, provider))
