import { hourMs } from '@patchbay/contract/shared/durations'
import { countedDurations, toDurationClass } from '@patchbay/rules/calls/call-durations'
import { sql } from 'kysely'
import { floorDivide } from '../../database/engine.ts'
import type { CountTable, KeyColumn, StoredKeyColumn } from './count-table.ts'

/** The tables that count the calls of an hour, which provide the totals of searches. */

export const toHourNumber = (milliseconds: number): number => Math.floor(milliseconds / hourMs)

/** Returns a SIP status of up to three digits, or 0 for an invalid or unknown one. */
const toSipStatus = (status: number | null | undefined): number =>
  status && Number.isInteger(status) && status > 0 && status < 1000 ? status : 0

/** The fields of a call that all counts need. */
export interface CountedCall {
  account_sid: string
  service_provider_sid?: string | null | undefined
  attempted_at: number
  trunk?: string | null | undefined
  direction?: string | null | undefined
  answered: 0 | 1
}

interface EndedCall extends CountedCall {
  sip_status?: number | null | undefined
  duration: number
}

interface AnsweringCall extends CountedCall {
  application_sid?: string | null | undefined
}

const hour: StoredKeyColumn<CountedCall> = {
  of: ({ attempted_at }) => toHourNumber(attempted_at),
  stored: (engine) => floorDivide(engine, 'attempted_at', hourMs),
}

export const trunk: StoredKeyColumn<CountedCall> = {
  of: (call) => call.trunk ?? '',
  stored: () => sql`coalesce(trunk, '')`,
}

export const direction: StoredKeyColumn<CountedCall> = {
  of: (call) => call.direction ?? '',
  stored: () => sql`coalesce(direction, '')`,
}

export const answered: StoredKeyColumn<CountedCall> = {
  of: (call) => call.answered,
  stored: () => sql`answered`,
}

export const sipStatus: StoredKeyColumn<Pick<EndedCall, 'sip_status'>> = {
  of: ({ sip_status }) => toSipStatus(sip_status),
  stored: () => sql`case when sip_status between 1 and 999 then sip_status else 0 end`,
}

const durationClass: StoredKeyColumn<Pick<EndedCall, 'duration'>> = {
  of: ({ duration }) => toDurationClass(duration),
  stored: () =>
    sql`case ${sql.join(
      countedDurations
        .toReversed()
        .map((minimum) => sql`when duration >= ${sql.lit(minimum)} then ${sql.lit(minimum)}`),
      sql` `,
    )} else 0 end`,
}

const application: StoredKeyColumn<AnsweringCall> = {
  of: ({ application_sid }) => application_sid ?? '',
  stored: () => sql`application_sid`,
}

const always = (value: string | number): KeyColumn<CountedCall> => ({ of: () => value })

const sums = { calls: () => 1 }

/** Calls by hour, in total and by the filters that most searches use. */
export const hourCounts: CountTable<'patchbay_call_hours', CountedCall> = {
  table: 'patchbay_call_hours',
  keys: [
    { by_kind: always(0), hour, trunk: always(''), direction: always(''), answered: always(0) },
    { by_kind: always(1), hour, trunk, direction, answered },
  ],
  sums,
}

/** Calls by final SIP status and duration. */
export const outcomeCounts: CountTable<'patchbay_call_outcomes', EndedCall, StoredKeyColumn<EndedCall>> = {
  table: 'patchbay_call_outcomes',
  keys: [{ hour, sip_status: sipStatus, min_seconds: durationClass, trunk, direction, answered }],
  sums,
}

/**
 * Calls by application. A dimension of patchbay_call_outcomes would multiply its rows, which all filters by outcome read.
 */
export const applicationCounts: CountTable<
  'patchbay_call_applications',
  AnsweringCall,
  StoredKeyColumn<AnsweringCall>
> = {
  table: 'patchbay_call_applications',
  keys: [{ application_sid: application, hour, direction, answered }],
  sums,
  only: {
    of: ({ application_sid }) => Boolean(application_sid),
    stored: sql`application_sid is not null and application_sid != ''`,
  },
}
