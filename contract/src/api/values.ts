import { z } from 'zod'
import { isSid } from '../shared/sids.ts'

/** Value types that several resources share (docs/reference/platform-api/conventions.md#value-types). */

export const sid = z.string().refine(isSid, { error: 'must be a sid (UUID)', abort: true })

/** Requests can contain true, false, 0, or 1, also as text. Responses contain 0 or 1. */
export const booleanInput = z
  .union([z.boolean(), z.literal([0, 1, '0', '1'])], { error: 'must be true, false, 0 or 1' })
  .transform((value): 0 | 1 => (Number(value) === 1 ? 1 : 0))

/** Returns the schema of a whole number in a request. Clients of jambonz also send it as a text of digits. */
export const integerInput = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d{1,9}$/, { error: 'must be a whole number' })], {
      error: 'must be a whole number',
    })
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })

export const flag = z.union([z.literal(0), z.literal(1)])

/** A whole number that fits a 32-bit database column. */
export const int32Input = integerInput(-2_147_483_648, 2_147_483_647)

/** A SID in any format. A text that is not a UUID is treated as an unknown SID, like in the platform's API. */
export const anySid = z.string({ error: 'must be text' }).max(64, { error: 'must be at most 64 characters long' })

/**
 * Returns the schema of the SID of a required parent record.
 * @param missing error message of the API of jambonz
 */
export const requiredSid = (missing: string) =>
  z
    .custom<string>((value) => typeof value === 'string' && value !== '' && value.length <= 64, { error: missing })
    .meta({ type: 'string' })

/**
 * Returns the schema of a text for a database column with `max` characters. Longer text is rejected because the
 * database would truncate it or raise an error.
 */
export const text = (max: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? undefined : 'must be text') })
    .max(max, { error: `must be at most ${max} characters long` })

/**
 * Returns whether the text has a visible character. Whitespace, zero-width, and text direction characters are
 * invisible.
 */
const hasVisibleCharacter = (value: string): boolean => /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(value)

const empty = { error: 'must not be empty', abort: true }

/** Returns the schema of a text with at least one visible character and at most `max` characters. */
export const name = (max: number) => text(max).refine(hasVisibleCharacter, empty)

/** Returns the schema of a name in a change request. An empty text leaves the name unchanged. */
export const optionalName = (max: number) =>
  text(max).refine((value) => value === '' || hasVisibleCharacter(value), empty)

/** ISO 8601 in UTC with milliseconds. */
export const instant = z.string()

/**
 * Returns the schema of an instant in a request.
 * @param first earliest instant that the date columns of all database engines support, in ISO 8601
 * @param last latest such instant
 */
export const instantInput = (first: string, last: string) =>
  z.iso
    .datetime({ error: 'must be an ISO 8601 date and time', abort: true })
    .refine((value) => Date.parse(value) >= Date.parse(first) && Date.parse(value) <= Date.parse(last), {
      error: `must be from ${first} to ${last}`,
    })

export const created = z.object({ sid: z.string() })
