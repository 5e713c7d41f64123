import { z } from 'zod'
import { dayMs } from '../shared/durations.ts'
import { defaultPageSize } from './paging.ts'

/**
 * Query parameters for a page of events: page, count, and a period
 * (docs/reference/platform-api/call-records.md#recent-calls).
 */

const isIntegerText = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max

const isNoNumber = (value: string): boolean => value !== '' && Number.isNaN(Number(value))
const isDate = (value: string): boolean => !Number.isNaN(Date.parse(value))

/** A query parameter with a single error message for all invalid values. */
const queryText = (isValid: (value: unknown) => boolean, error: string) =>
  z.custom<string>(isValid, { error }).meta({ type: 'string' })

/** Returns the schema of a required number. Text that is no number counts as the default, as in the platform's API. */
const numberText = (arg: string, max: number, byDefault: number) =>
  queryText(
    (value) => isIntegerText(value, 1, max) || (typeof value === 'string' && isNoNumber(value)),
    `missing or invalid "${arg}" query arg`,
  ).transform((value) => (isNoNumber(value) ? String(byDefault) : value))

export const pageQuery = {
  page: numberText('page', 999_999_999, 1),
  count: numberText('count', 500, defaultPageSize),
  days: queryText((value) => isIntegerText(value, 1, 3650), 'invalid "days" query arg').optional(),
  /** A text that is no date means no start, as in the platform's API. */
  start: queryText((value) => typeof value === 'string', 'invalid "start" query arg')
    .transform((value) => (isDate(value) ? value : undefined))
    .optional(),
  end: queryText((value) => typeof value === 'string' && isDate(value), 'invalid "end" query arg').optional(),
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
