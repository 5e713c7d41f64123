import type { Alert } from '@patchbay/contract/alerts'
import type { Selectable } from 'kysely'
import { getAlertGroupKey } from '../alerts/alert-group-keys.ts'
import type { Tables } from '../../database/tables.ts'
import { toAlert } from '../alerts/to-alert.ts'
import { split, toNanoseconds, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { parseExtraFields } from '../calls/search-options.ts'
import { leaveOutStored, selectByPairs, type StoredTable } from './stored-table.ts'

/** Rows of the table `alerts`. */

export interface AlertRow {
  account_sid: string
  service_provider_sid: string
  /** Nanoseconds since the Unix epoch. */
  raised_at: string
  fingerprint: string
  group_key: string
  alert_type: string
  message: string
  detail: string | null
  target_sid: string | null
  vendor: string | null
  extra: string
}

export const alertColumns = `account_sid, service_provider_sid, raised_at, fingerprint, group_key, alert_type, message,
detail, target_sid, vendor, extra`

type SqlRow = Selectable<Tables['patchbay_alerts']>

/** Converts a row of the database. */
export const toAlertRow = ({ raised_at, raised_ns, ...row }: SqlRow): AlertRow => ({
  account_sid: row.account_sid ?? '',
  service_provider_sid: row.service_provider_sid ?? '',
  raised_at: String(toNanoseconds(raised_at, raised_ns)),
  fingerprint: row.fingerprint,
  group_key: row.group_key ?? getAlertGroupKey(row),
  alert_type: row.alert_type,
  message: row.message,
  detail: row.detail,
  target_sid: row.target_sid,
  vendor: row.vendor,
  extra: row.extra ?? '',
})

/** Converts a row to the API representation. */
export const rowToAlert = ({ account_sid, service_provider_sid, raised_at, extra, ...row }: AlertRow): Alert => {
  const { milliseconds, nanoseconds } = split(BigInt(raised_at))
  const record = {
    ...row,
    account_sid: account_sid || null,
    service_provider_sid: service_provider_sid || null,
    extra: parseExtraFields(extra || null),
  }
  return toAlert(record, writeInstant(milliseconds, nanoseconds))
}

type Key = Pick<AlertRow, 'account_sid' | 'raised_at' | 'fingerprint'>

const toKey = ({ account_sid, raised_at, fingerprint }: Key): string => `${account_sid}\n${raised_at}\n${fingerprint}`

/** Size of most alerts in bytes. */
const typicalBytes = 600

export const alertTable: StoredTable<AlertRow> = {
  name: 'alerts',
  toKey,
  measure: ({ message, detail }) => typicalBytes + message.length + (detail?.length ?? 0),
  async compare(clickHouse, rows, signal) {
    const selected = {
      table: 'alerts',
      columns: 'account_sid, raised_at, fingerprint',
      pair: ['account_sid', 'raised_at'],
    } as const
    const stored = await selectByPairs<Key, AlertRow>(clickHouse, selected, rows, signal)
    return { missing: leaveOutStored(rows, stored, toKey), excess: [] }
  },
}
