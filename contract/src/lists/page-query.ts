import { z } from 'zod'
import { dayMs } from '../shared/durations.ts'

/**
 * Query parameters for a page of events: page, count, and a period
 * (docs/reference/platform-api/call-records.md#recent-calls).
 */

const isIntegerText = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max

/** A query parameter with a single error message for all invalid values. */
const queryText = (isValid: (value: unknown) => boolean, error: string) =>
  z.custom<string>(isValid, { error }).meta({ type: 'string' })

const when = (arg: string) =>
  queryText((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)), `invalid "${arg}" query arg`)

export const pageQuery = {
  page: queryText((value) => isIntegerText(value, 1, 999_999_999), 'missing or invalid "page" query arg'),
  count: queryText((value) => isIntegerText(value, 1, 500), 'missing or invalid "count" query arg'),
  days: queryText((value) => isIntegerText(value, 1, 3650), 'invalid "days" query arg').optional(),
  start: when('start').optional(),
  end: when('end').optional(),
}

export interface Period {
  days?: string | undefined
  start?: string | undefined
  end?: string | undefined
}

/** Returns the bounds in milliseconds since the Unix epoch. `days` is a rolling window and overrides start and end. */
export const toPeriodBounds = ({ days, start, end }: Period): { after?: number; from?: number; until?: number } =>
  days !== undefined
    ? { after: Date.now() - Number(days) * dayMs }
    : {
        ...(start === undefined ? {} : { from: Date.parse(start) }),
        ...(end === undefined ? {} : { until: Date.parse(end) }),
      }
