import type { Actor } from '@patchbay/contract/access'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CredentialRow } from './store.ts'

/**
 * Which applications speak or listen by a credential: they name its vendor and label, not the credential itself. One of
 * an account is used by that account's, one of a provider by those of all its accounts; what the actor may not see is
 * counted alone.
 */

/** An application's four pairs of vendor and label. */
const pairs = [
  ['speech_synthesis_vendor', 'speech_synthesis_label'],
  ['speech_recognizer_vendor', 'speech_recognizer_label'],
  ['fallback_speech_synthesis_vendor', 'fallback_speech_synthesis_label'],
  ['fallback_speech_recognizer_vendor', 'fallback_speech_recognizer_label'],
] as const

type Where = ExpressionBuilder<Tables, 'applications' | 'accounts'>

export const readSpeechUses = async (
  { reader }: Database,
  actor: Actor,
  { vendor, label, account_sid, service_provider_sid }: CredentialRow,
): Promise<Uses> => {
  const names = (where: Where) =>
    where.or(
      pairs.map(([ofVendor, ofLabel]) =>
        where.and([
          where(`applications.${ofVendor}`, '=', vendor),
          where(where.fn.coalesce(`applications.${ofLabel}`, where.val('')), '=', label ?? ''),
          // The fallback set counts only where it is in use.
          ...(ofVendor.startsWith('fallback') ? [where('applications.use_for_fallback_speech', '=', 1)] : []),
        ]),
      ),
    )
  const isReached = (where: Where) =>
    account_sid === null
      ? where('accounts.service_provider_sid', '=', service_provider_sid ?? '')
      : where('applications.account_sid', '=', account_sid)
  const found = reader
    .selectFrom('applications')
    .innerJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .where(names)
    .where(isReached)
  const seen = actor.scope === 'account' ? found.where('applications.account_sid', '=', actor.account_sid) : found
  const [counted, first] = await Promise.all([
    found.select(({ fn }) => fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow(),
    seen
      .select(['applications.application_sid as sid', 'applications.name'])
      .orderBy('applications.name')
      .orderBy('applications.application_sid')
      .limit(maxNamed)
      .execute(),
  ])
  return { total: Number(counted.total), first }
}
