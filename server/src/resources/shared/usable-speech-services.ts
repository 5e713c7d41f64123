import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** The speech services that an account may use (docs/reference/platform-api/speech.md#speech-credentials). */

type Where = ExpressionBuilder<Tables, 'speech_credentials' | 'accounts'>

/** Matches the credentials of accounts, and those that providers share with all of their accounts. */
export const isUsableByAny = (where: Where, accounts: readonly string[], providers: readonly string[]) =>
  where.or([
    where('speech_credentials.account_sid', 'in', accounts),
    where.and([
      where('speech_credentials.account_sid', 'is', null),
      where('speech_credentials.service_provider_sid', 'in', providers),
    ]),
  ])

/**
 * Matches credentials that an account may use: its own, and the shared ones of its provider. `account` or `provider` is
 * empty if there is none.
 */
export const isUsable = (where: Where, account: string, provider: string) => isUsableByAny(where, [account], [provider])

/** Selects which services an account may use, without their keys. */
export const selectUsableServices = (db: Kysely<Tables>, account: string, provider: string) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(['vendor', 'label', 'use_for_tts', 'use_for_stt', 'tts_tested_ok', 'stt_tested_ok'])
    .where((where) => isUsable(where, account, provider))
