import type { AlertAcknowledgment } from '@patchbay/contract/alert-groups'
import { type Expression, expressionBuilder, type Selectable, type SqlBool } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { writeInstant } from '../calls/nanosecond-timestamps.ts'
import { type CallOwner, ownerColumn } from '../calls/search-options.ts'

/** Reads acknowledgments of alerts from Patchbay's own table, whichever store contains the alerts. */

/** Maximum number of acknowledgments that an account, or a provider for its own alerts, keeps. */
export const maxAcknowledgments = 5000

/** `single_ns` of a row that covers all alerts of a group up to a time. */
export const wholeGroup = -1

export type AcknowledgmentRow = Selectable<Tables['patchbay_alert_acknowledgments']>

export const toAcknowledgment = (row: AcknowledgmentRow): AlertAcknowledgment => ({
  alert_acknowledgment_sid: row.alert_acknowledgment_sid,
  acknowledged_until: writeInstant(row.until_at, Math.max(row.single_ns, 0)),
  acknowledged_at: new Date(row.acknowledged_at).toISOString(),
  acknowledged_by: row.acknowledged_by,
})

/** Selects the acknowledgments of an owner, and of a provider's accounts. */
export const selectAcknowledgments = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner, from: number) => {
  const [column, sid] = ownerColumn(owner)
  return reader.selectFrom('patchbay_alert_acknowledgments').where(column, '=', sid).where('until_at', '>=', from)
}

/** Returns the acknowledgment of each of these groups that reaches furthest. */
export const findFurthest = async (
  { reader }: Pick<Database, 'reader'>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, AlertAcknowledgment>> => {
  if (keys.length === 0) return new Map()
  const furthest = reader
    .selectFrom('patchbay_alert_acknowledgments')
    .select(['group_key', ({ fn }) => fn.max('until_at').as('until_at')])
    .where('group_key', 'in', [...keys])
    .groupBy('group_key')
  const rows = await reader
    .selectFrom(furthest.as('furthest'))
    .innerJoin('patchbay_alert_acknowledgments as row', (join) =>
      join.onRef('row.group_key', '=', 'furthest.group_key').onRef('row.until_at', '=', 'furthest.until_at'),
    )
    .selectAll('row')
    // The row of a whole group comes last, and so replaces those of single alerts with the same time.
    .orderBy('row.single_ns', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.group_key, toAcknowledgment(row)]))
}

/** Matches the acknowledgments that cover an alert with this time, for conditions on a group. */
export const coversTime = (
  milliseconds: number | Expression<number>,
  nanoseconds: number | Expression<number>,
): Expression<SqlBool> => {
  const where = expressionBuilder<Tables, 'patchbay_alert_acknowledgments'>()
  return where.or([
    where.and([where('single_ns', '=', wholeGroup), where('until_at', '>=', milliseconds)]),
    where.and([where('single_ns', '=', nanoseconds), where('until_at', '=', milliseconds)]),
  ])
}

/** Returns the newest acknowledgment that covers an alert, or undefined if there is none. */
export const findCovering = async (
  { reader }: Pick<Database, 'reader'>,
  group_key: string,
  { milliseconds, nanoseconds }: { milliseconds: number; nanoseconds: number },
): Promise<AlertAcknowledgment | undefined> => {
  const row = await reader
    .selectFrom('patchbay_alert_acknowledgments')
    .selectAll()
    .where('group_key', '=', group_key)
    .where(coversTime(milliseconds, nanoseconds))
    .orderBy('acknowledged_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toAcknowledgment(row)
}
