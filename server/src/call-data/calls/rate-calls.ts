import type { Kysely } from 'kysely'
import { type Database, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { truncate } from './call-key.ts'
import type { CallRating } from './call-record.ts'
import { split } from './nanosecond-timestamps.ts'

/** Adds what a rating engine has computed to the stored calls. */

/** The tags of a call that identify its point in InfluxDB, together with the account and the time. */
type Tags = Pick<CallRating, 'service_provider_sid' | 'direction' | 'host' | 'trunk' | 'answered'>

/** Returns whether a stored call has the tags of a rating. */
export const hasTags = (call: Tags, rating: CallRating): boolean =>
  call.service_provider_sid === rating.service_provider_sid &&
  call.direction === rating.direction &&
  call.host === truncate(rating.host) &&
  call.trunk === truncate(rating.trunk) &&
  call.answered === rating.answered

/** Returns the values that a rating states. The others of the call stay as they are. */
export const getStated = ({ cost, rate, billed_seconds }: CallRating) => ({
  ...(cost === null ? {} : { cost }),
  ...(rate === null ? {} : { rate }),
  ...(billed_seconds === null ? {} : { billed_seconds }),
})

export const reasonsOfRejection = {
  noCall: 'no stored call has these tags and this time, so that the cost has no call',
  severalCalls: 'several calls have these tags and this time, so that the call of the cost is unknown',
}

/** Finds the calls with the time and the tags of a rating, which identify a point in InfluxDB. */
const findCallKeys = async (trx: Kysely<Tables>, rating: CallRating): Promise<string[]> => {
  const { milliseconds, nanoseconds } = split(rating.time)
  const calls = await trx
    .selectFrom('patchbay_calls')
    .select(['call_key', 'service_provider_sid', 'direction', 'host', 'trunk', 'answered'])
    .where('account_sid', '=', rating.account_sid)
    .where('attempted_at', '=', milliseconds)
    .where('attempted_ns', '=', nanoseconds)
    .execute()
  return calls
    .filter((call) => hasTags({ ...call, answered: call.answered === 1 }, rating))
    .map(({ call_key }) => call_key)
}

const rateCall = async (trx: Kysely<Tables>, rating: CallRating): Promise<string | undefined> => {
  const [call_key, ...others] = await findCallKeys(trx, rating)
  if (call_key === undefined) return reasonsOfRejection.noCall
  if (others.length > 0) return reasonsOfRejection.severalCalls
  const { milliseconds, nanoseconds } = split(rating.time)
  await trx
    .updateTable('patchbay_calls')
    .set(getStated(rating))
    .where('account_sid', '=', rating.account_sid)
    .where('attempted_at', '=', milliseconds)
    .where('attempted_ns', '=', nanoseconds)
    .where('call_key', '=', call_key)
    .execute()
  return undefined
}

/** Stores ratings in one transaction. Returns the reason for each one that was not stored. */
export const rateCalls = (database: Database, ratings: readonly CallRating[]): Promise<(string | undefined)[]> =>
  inTransaction(database, async (trx) => {
    const reasons: (string | undefined)[] = []
    for (const rating of ratings) reasons.push(await rateCall(trx, rating))
    return reasons
  })
