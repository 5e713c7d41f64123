import type { Actor } from '@patchbay/contract/api/access'
import type { Uses } from '@patchbay/contract/api/used-by'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * Finds the applications that use a speech credential. Applications name a vendor and label instead of a credential. A
 * credential of an account is used by the applications of the account, one of a provider by those of all of its
 * accounts. Applications that the actor may not see are only counted.
 */

/** The four pairs of vendor and label columns of an application. */
const pairs = [
  ['speech_synthesis_vendor', 'speech_synthesis_label'],
  ['speech_recognizer_vendor', 'speech_recognizer_label'],
  ['fallback_speech_synthesis_vendor', 'fallback_speech_synthesis_label'],
  ['fallback_speech_recognizer_vendor', 'fallback_speech_recognizer_label'],
] as const

type Where = ExpressionBuilder<Tables, 'applications' | 'accounts'>

/** The columns that decide which applications use a speech credential. */
interface UsedCredential {
  vendor: string
  label: string | null
  account_sid: string | null
  service_provider_sid: string | null
}

/** Selects the applications that use a credential. */
const selectUsers = ({ reader }: Database, { vendor, label, account_sid, service_provider_sid }: UsedCredential) => {
  const refersToCredential = (where: Where) =>
    where.or(
      pairs.map(([ofVendor, ofLabel]) =>
        where.and([
          where(`applications.${ofVendor}`, '=', vendor),
          where(where.fn.coalesce(`applications.${ofLabel}`, where.val('')), '=', label ?? ''),
          // The fallback settings count only if they are enabled.
          ...(ofVendor.startsWith('fallback') ? [where('applications.use_for_fallback_speech', '=', 1)] : []),
        ]),
      ),
    )
  const isInScope = (where: Where) =>
    account_sid === null
      ? where('accounts.service_provider_sid', '=', service_provider_sid ?? '')
      : where('applications.account_sid', '=', account_sid)
  return reader
    .selectFrom('applications')
    .innerJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .where(refersToCredential)
    .where(isInScope)
}

export const countSpeechUses = async (database: Database, credential: UsedCredential): Promise<number> => {
  const { total } = await selectUsers(database, credential)
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

export const readSpeechUses = async (database: Database, actor: Actor, credential: UsedCredential): Promise<Uses> => {
  const matches = selectUsers(database, credential)
  const visibleMatches =
    actor.scope === 'account' ? matches.where('applications.account_sid', '=', actor.account_sid) : matches
  const [total, first] = await Promise.all([
    countSpeechUses(database, credential),
    visibleMatches
      .select(['applications.application_sid as sid', 'applications.name'])
      .orderBy('applications.name')
      .orderBy('applications.application_sid')
      .limit(maxNamed)
      .execute(),
  ])
  return { total, first }
}
