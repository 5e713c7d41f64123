import {
  type HealthHistory,
  healthHistoryDays,
  maxUnwatchedPeriods,
  watchedStates,
} from '@patchbay/contract/carrier-health'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { Database } from '../../database/engine.ts'

/** Reads the changes of the health of carriers that the job has recorded. */

const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString()

const toState = (text: string | null) => watchedStates.find((state) => state === text)

/** Returns the periods between those in which Patchbay watched, newest first. */
const findUnwatched = (watches: readonly { started_at: number; until_at: number }[], since: number) =>
  watches
    .flatMap(({ started_at }, index) => {
      const before = watches[index + 1]
      return before === undefined ? [] : [{ from: Math.max(before.until_at, since), until: started_at }]
    })
    .slice(0, maxUnwatchedPeriods)
    .map(({ from, until }) => ({ from: toIso(from), until: toIso(until) }))

/**
 * Returns a page of the changes of a carrier in the last 30 days, newest first.
 * @param page starts at 1
 * @param now milliseconds since the Unix epoch
 */
export const readHealthHistory = async (
  { reader }: Pick<Database, 'reader'>,
  voip_carrier_sid: string,
  { page, pageSize, now }: { page: number; pageSize: number; now: number },
): Promise<Omit<HealthHistory, 'page' | 'page_size'>> => {
  const since = now - healthHistoryDays * dayMs
  const changes = reader
    .selectFrom('patchbay_carrier_health_changes as change')
    .where('change.voip_carrier_sid', '=', voip_carrier_sid)
    .where('change.changed_at', '>=', since)
  const [counted, rows, watches, first] = await Promise.all([
    changes.select(({ fn }) => fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow(),
    changes
      .selectAll()
      .select((select) =>
        select
          .selectFrom('patchbay_carrier_health_changes as next')
          .select(({ fn }) => fn.min('next.changed_at').as('ended_at'))
          .whereRef('next.watched_sid', '=', 'change.watched_sid')
          .whereRef('next.changed_at', '>', 'change.changed_at')
          .as('ended_at'),
      )
      .orderBy('change.changed_at', 'desc')
      .orderBy('change.change_sid', 'desc')
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute(),
    reader
      .selectFrom('patchbay_carrier_health_watches')
      .selectAll()
      .where('until_at', '>=', since)
      .orderBy('until_at', 'desc')
      .limit(maxUnwatchedPeriods + 1)
      .execute(),
    reader
      .selectFrom('patchbay_carrier_health_watches')
      .select(({ fn }) => fn.min('started_at').as('started_at'))
      .where('until_at', '>=', since)
      .executeTakeFirst(),
  ])
  const startedAt = first?.started_at
  return {
    total: Number(counted.total),
    watched_since: startedAt === undefined || startedAt === null ? null : toIso(Math.max(startedAt, since)),
    unwatched: findUnwatched(watches, since),
    data: rows.flatMap(({ watched_sid, address, from_state, to_state, reason, changed_at, ended_at }) => {
      const state = toState(to_state)
      if (state === undefined) return []
      return [
        {
          sip_gateway_sid: address === null ? null : watched_sid,
          address,
          from_state: toState(from_state) ?? null,
          to_state: state,
          reason,
          changed_at: toIso(changed_at),
          ended_at: ended_at === null ? null : toIso(ended_at),
        },
      ]
    }),
  }
}
