import type { Owner } from '@patchbay/contract/api/access'
import { type LimitMeasure, limitMeasureNames, limitMeasures } from '@patchbay/contract/conversations/figures'
import { hourMs } from '@patchbay/contract/shared/durations'
import { formatMeasure, measureConversations } from '@patchbay/rules/conversations/limit-measures'
import { getAmount, mergeSums, type Sums, sumUp } from '@patchbay/rules/conversations/sums'
import type { Selectable } from 'kysely'
import { type Counters, tryConsume } from '../auth/counters/counters.ts'
import type { AlertRecord } from '../call-data/alerts/alert-record.ts'
import { storeAlerts } from '../call-data/alerts/sql-alerts.ts'
import { unpackContributions } from '../call-data/conversations/conversation-day-sums.ts'
import { type Database, inTransaction, lockForUpdate } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { type LimitStates, parseLimitStates } from '../resources/conversation-quality/limit-store.ts'

/** Compares the latest conversations of accounts and providers with their limits, and raises alerts. */

/** Interval of the checks. */
export const limitWatchIntervalMs = 60_000

/** Seconds in which only one process checks. Shorter than the interval, whose timers are not exact. */
const claimSeconds = 50

const minuteMs = 60_000
const pageSize = 500

/** The newest conversations that are compared. Percentiles of more of them would hardly differ. */
const maxConversations = 2000

/** Longer calls are not compared. */
const maxCallMs = 12 * hourMs

type LimitRow = Selectable<Tables['patchbay_conversation_limits']>

const findOwner = async ({ reader }: Database, owner_sid: string): Promise<Owner | undefined> => {
  const account = await reader
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid'])
    .where('account_sid', '=', owner_sid)
    .executeTakeFirst()
  if (account !== undefined) return account
  const provider = await reader
    .selectFrom('service_providers')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', owner_sid)
    .executeTakeFirst()
  return provider && { account_sid: null, ...provider }
}

interface Measured {
  conversations: number
  values: Partial<Record<LimitMeasure, number>>
}

/** Measures the conversations with an agent that have ended since a time. */
const measureSince = async (
  { reader }: Database,
  { account_sid, service_provider_sid }: Owner,
  since: number,
): Promise<Measured> => {
  const rows = await reader
    .selectFrom('patchbay_conversations')
    .select('content')
    .where('ended_at', '>=', since)
    // The index of each owner is in the order of the start.
    .where('started_at', '>=', since - maxCallMs)
    .$if(account_sid !== null, (query) => query.where('account_sid', '=', account_sid ?? ''))
    .$if(account_sid === null, (query) => query.where('service_provider_sid', '=', service_provider_sid))
    .orderBy('started_at', 'desc')
    .limit(maxConversations)
    .execute()
  const sums: Sums = new Map()
  let failed = 0
  for (const { content } of rows) {
    const contributions = await unpackContributions(content)
    const own = sumUp(contributions.filter(({ dimension }) => dimension === 'all'))
    mergeSums(sums, own)
    if (getAmount(own, 'errors') > 0) failed += 1
  }
  return { conversations: getAmount(sums, 'conversations'), values: measureConversations(sums, failed) }
}

interface Change {
  measure: LimitMeasure
  isExceeded: boolean
  limit: number
  /** Undefined if there were no conversations. */
  value: number | undefined
}

/**
 * Returns the limits that were exceeded or kept again. Without any conversation, an exceeded limit recovers, because it
 * would stay exceeded until the next calls. A limit changes at most once in the minutes that it compares.
 */
const findChanges = (row: LimitRow, { conversations, values }: Measured, now: number): Change[] => {
  if (conversations > 0 && conversations < row.min_conversations) return []
  const states = parseLimitStates(row.states)
  return limitMeasures.flatMap((measure) => {
    const [limit, value, state] = [row[measure], values[measure], states[measure]]
    if (limit === null || (value === undefined && conversations > 0)) return []
    const isExceeded = value !== undefined && value > limit
    if (isExceeded === (state?.isExceeded ?? false)) return []
    if (state !== undefined && now - state.changedAt < row.minutes * minuteMs) return []
    return [{ measure, isExceeded, limit, value }]
  })
}

const formatAlert = ({ measure, isExceeded, limit, value }: Change, minutes: number, conversations: number): string => {
  const compared = value === undefined ? [] : [value]
  const [name, limitText] = [limitMeasureNames[measure], formatMeasure(measure, limit, ...compared)]
  if (value === undefined)
    return `There were no conversations in the last ${minutes} minutes, so the ${name} no longer exceeds the limit of ${limitText}.`
  return (
    `The ${name} was ${formatMeasure(measure, value, limit)} in the last ${minutes} minutes ` +
    `(${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}). ` +
    `${isExceeded ? 'It exceeds' : 'It is within'} the limit of ${limitText}${isExceeded ? '' : ' again'}.`
  )
}

export interface LimitWatch {
  database: Database
  counters: Counters
}

/** Stores changes with their alerts, unless the limits have been changed meanwhile. */
const storeChanges = (
  { database }: LimitWatch,
  row: LimitRow,
  {
    owner,
    changes,
    conversations,
    now,
  }: { owner: Owner; changes: readonly Change[]; conversations: number; now: number },
): Promise<void> =>
  inTransaction(database, async (trx) => {
    const current = trx.selectFrom('patchbay_conversation_limits').selectAll().where('owner_sid', '=', row.owner_sid)
    const locked = await lockForUpdate(database.engine, current).executeTakeFirst()
    if (JSON.stringify(locked) !== JSON.stringify(row)) return
    const states: LimitStates = parseLimitStates(row.states)
    for (const { measure, isExceeded } of changes) states[measure] = { isExceeded, changedAt: now }
    await trx
      .updateTable('patchbay_conversation_limits')
      .set({ states: JSON.stringify(states) })
      .where('owner_sid', '=', row.owner_sid)
      .execute()
    const alerts = changes.map(
      (change, index): AlertRecord => ({
        ...owner,
        // The alerts of a check have different times.
        time: BigInt(now) * 1_000_000n + BigInt(index),
        alert_type: change.isExceeded ? 'conversation-limit-exceeded' : 'conversation-limit-recovered',
        message: formatAlert(change, row.minutes, conversations),
        detail: null,
        target_sid: null,
        vendor: null,
        extra: { measure: change.measure },
      }),
    )
    await storeAlerts(trx, database.engine, alerts)
  })

/**
 * Creates the job, which needs alerts in Patchbay's own table. It runs once per interval, whatever the number of processes.
 */
export const createLimitWatch = (watch: LimitWatch, now: () => number = Date.now): (() => Promise<void>) => {
  const { database, counters } = watch
  const check = async (row: LimitRow): Promise<void> => {
    const owner = await findOwner(database, row.owner_sid)
    if (owner === undefined) {
      await database.db.deleteFrom('patchbay_conversation_limits').where('owner_sid', '=', row.owner_sid).execute()
      return
    }
    if (limitMeasures.every((measure) => row[measure] === null)) return
    const measured = await measureSince(database, owner, now() - row.minutes * minuteMs)
    const changes = findChanges(row, measured, now())
    if (changes.length === 0) return
    await storeChanges(watch, row, { owner, changes, conversations: measured.conversations, now: now() })
  }
  return async () => {
    if (!(await tryConsume(counters, { counter: 'conversation-limit-watch', max: 1, seconds: claimSeconds }))) return
    for (let after = ''; ; ) {
      const rows = await database.reader
        .selectFrom('patchbay_conversation_limits')
        .selectAll()
        .where('owner_sid', '>', after)
        .orderBy('owner_sid')
        .limit(pageSize)
        .execute()
      for (const row of rows) await check(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return
      after = last.owner_sid
    }
  }
}
