import { searchedNumber, writtenDigits } from '@patchbay/rules/phone-number/searched-number'
import { isBlockedStatus } from '@patchbay/rules/sip/statuses'
import type { Transaction } from 'kysely'
import { type Database, type EngineName, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { callKey, truncate } from './call-key.ts'
import type { CallRecord } from './call-record.ts'
import { split } from './nanosecond-timestamps.ts'

/** Blocked calls, which call quality lists by calling number. Each is stored once, however often it is counted. */

/** `unwanted` is 607, `filter` is 608, and `analytics` is 603+, which only captured SIP tells. */
export const blockKinds = ['analytics', 'filter', 'unwanted'] as const
type BlockKind = (typeof blockKinds)[number]

const blockLabels = {
  analytics: 'by analytics of a network (603+)',
  filter: 'by a filter (608)',
  unwanted: 'as unwanted by the called side (607)',
} as const satisfies Record<BlockKind, string>

/** Returns who blocked a call, for a sentence with its number. */
export const describeBlock = (kind: BlockKind): string => blockLabels[kind]

/** The fields of a call that its block needs. */
interface BlockedCall {
  account_sid: string
  service_provider_sid?: string | null | undefined
  attempted_at: number
  call_key: string
  trunk?: string | null | undefined
  direction?: string | null | undefined
  from?: string | null | undefined
}

/** The longest calling number, in digits. E.164 allows 15. */
const maxDigits = 32

/**
 * Returns the digits of a calling number, or null if the caller is no telephone number. A prefix of international calls is
 * removed. The 0 of a national number remains, because without it, the number can be one of another country.
 */
const toCallingNumber = (from: string): string | null => {
  const number = searchedNumber(from)
  const digits = number?.isInternational === true ? number.digits : writtenDigits(from)
  return !digits || digits.length > maxDigits ? null : digits
}

const toRow = (call: BlockedCall, kind: BlockKind) => ({
  account_sid: call.account_sid,
  attempted_at: call.attempted_at,
  call_key: call.call_key,
  service_provider_sid: call.service_provider_sid || null,
  trunk: truncate(call.trunk ?? '') ?? '',
  direction: call.direction ?? '',
  number: toCallingNumber(call.from ?? ''),
  kind,
  alerted_at: null,
})

/** Stores blocked calls. Those that are stored remain as they are. */
export const addBlockedCalls = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly BlockedCall[],
  kind: BlockKind,
): Promise<void> => {
  const rows = calls.map((call) => toRow(call, kind))
  if (rows.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_blocked_calls', rows)
}

interface RecordedCall extends BlockedCall {
  answered: boolean | 0 | 1
  sip_status?: number | null | undefined
}

const isBlockedRecord = ({ answered, sip_status }: Pick<RecordedCall, 'answered' | 'sip_status'>): boolean =>
  !answered && isBlockedStatus(sip_status ?? 0)

/** Stores the calls of records whose status says that they were blocked. */
export const addBlockedRecords = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly RecordedCall[],
): Promise<void> => {
  const blocked = calls.filter(isBlockedRecord)
  for (const [status, kind] of [
    [607, 'unwanted'],
    [608, 'filter'],
  ] as const)
    await addBlockedCalls(
      trx,
      engine,
      blocked.filter(({ sip_status }) => sip_status === status),
      kind,
    )
}

/** Stores the blocked calls among records that another store contains. */
export const storeBlockedRecords = async (database: Database, records: readonly CallRecord[]): Promise<void> => {
  const calls = records.filter(isBlockedRecord).map((record) => ({
    ...record,
    attempted_at: split(record.time).milliseconds,
    call_key: callKey(record),
  }))
  if (calls.length > 0) await inTransaction(database, (trx) => addBlockedRecords(trx, database.engine, calls))
}
