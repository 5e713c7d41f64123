import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { maxSearchesPerTenant, ownerColumn } from '../calls/search-options.ts'
import { coversTime } from './acknowledgments.ts'
import type { AlertKey } from './alerts.ts'
import { findSeenUntil, type NewAlertSearch, type NewAlerts, type UnseenAlerts } from './new-alerts.ts'
import { rowToAlert } from './sql-alerts.ts'

/** Matches alerts after a key, in the order of time. */
const isAfter = (key: Readonly<Record<keyof AlertKey, Expression<unknown>>>): Expression<SqlBool> =>
  sql<SqlBool>`(alert.raised_at, alert.raised_ns, alert.fingerprint) > (${key.raised_at}, ${key.raised_ns}, ${key.fingerprint})`

/** Selects the alerts after a key that are neither seen in the list of their account nor acknowledged. */
const selectUnseen = (
  { reader }: Pick<Database, 'reader'>,
  { owner, user_sid, from }: NewAlertSearch,
  seen: AlertKey | undefined,
) => {
  const [column, sid] = ownerColumn(owner)
  const alerts = reader
    .selectFrom('patchbay_alerts as alert')
    .leftJoin('patchbay_seen_alerts as seen', (join) =>
      join.on('seen.user_sid', '=', user_sid).onRef('seen.account_sid', '=', 'alert.account_sid'),
    )
    .where(`alert.${column}`, '=', sid)
    .where('alert.raised_at', '>=', Math.max(from, seen?.raised_at ?? from))
    .where(({ eb, or, ref }) =>
      or([
        eb('seen.raised_at', 'is', null),
        isAfter({
          raised_at: ref('seen.raised_at'),
          raised_ns: ref('seen.raised_ns'),
          fingerprint: ref('seen.fingerprint'),
        }),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('patchbay_alert_acknowledgments')
            .select('patchbay_alert_acknowledgments.group_key')
            .whereRef('patchbay_alert_acknowledgments.group_key', '=', 'alert.group_key')
            .where(coversTime(sql.ref<number>('alert.raised_at'), sql.ref<number>('alert.raised_ns'))),
        ),
      ),
    )
  if (seen === undefined) return alerts
  const { raised_at, raised_ns, fingerprint } = seen
  return alerts.where(
    isAfter({ raised_at: sql.val(raised_at), raised_ns: sql.val(raised_ns), fingerprint: sql.val(fingerprint) }),
  )
}

const searchUnseen = async (database: Database, search: NewAlertSearch): Promise<UnseenAlerts> => {
  const unseen = selectUnseen(database, search, await findSeenUntil(database, search.user_sid, search.owner))
  const counted = await unseen.select(({ fn }) => fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow()
  const total = Number(counted.total)
  if (total === 0) return { total, alerts: [] }
  const rows = await unseen
    .selectAll('alert')
    .orderBy('alert.raised_at')
    .orderBy('alert.raised_ns')
    .orderBy('alert.fingerprint')
    .limit(search.count)
    .execute()
  const newest = await unseen
    .select(['alert.raised_at', 'alert.raised_ns', 'alert.fingerprint'])
    .orderBy('alert.raised_at', 'desc')
    .orderBy('alert.raised_ns', 'desc')
    .orderBy('alert.fingerprint', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { total, alerts: rows.map(rowToAlert), last: rows.at(-1), newest }
}

/** Creates the reader of new alerts in Patchbay's own table. */
export const createSqlNewAlerts = (database: Database): NewAlerts => {
  const reads = createFairQueue({
    name: 'alert_reads',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  return {
    search: (search, { owner, signal }) =>
      reads.run(owner, (runStep) => runStep(() => searchUnseen(database, search)), signal),
  }
}
