import { z } from 'zod'

/** Value types of the wire that several resources share (api/1-identity.md §1). */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isSid = (text: string): boolean => uuid.test(text)

export const sid = z.string().refine(isSid, { error: 'must be a sid (UUID)', abort: true })

/** Booleans come in as true/false or 0/1, also as texts, and go out as 0/1. */
export const booleanInput = z
  .union([z.boolean(), z.literal([0, 1, '0', '1'])], { error: 'must be true, false, 0 or 1' })
  .transform((value): 0 | 1 => (Number(value) === 1 ? 1 : 0))

/** A whole number, which clients of the platform also write as a text of digits. */
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

/** A whole number as a column of them holds it. */
export const int32Input = integerInput(-2_147_483_648, 2_147_483_647)

/** A sid whose format does not matter: one that is none is unknown, as on the wire. */
export const anySid = z.string({ error: 'must be text' }).max(64, { error: 'must be at most 64 characters long' })

/** The sid of what a thing is to belong to, with the wire's own refusal of none. */
export const requiredSid = (missing: string) =>
  z
    .custom<string>((value) => typeof value === 'string' && value !== '' && value.length <= 64, { error: missing })
    .meta({ type: 'string' })

/** Text of a column: refused when longer, since the platform's tables would cut it or fail. */
export const text = (max: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? undefined : 'must be text') })
    .max(max, { error: `must be at most ${max} characters long` })

/** Whether anything of it is seen: blanks are not, nor characters without a width or that only turn the text around. */
const isSeen = (value: string): boolean => /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(value)

const empty = { error: 'must not be empty', abort: true }

/** Text that may not be empty. */
export const name = (max: number) => text(max).refine(isSeen, empty)

/** Of a change, where an empty text changes nothing. */
export const optionalName = (max: number) => text(max).refine((value) => value === '' || isSeen(value), empty)

/** An instant as the wire writes it: ISO 8601, UTC, milliseconds. */
export const instant = z.string()

/** An instant that comes in, within what a column of dates holds on every engine. */
export const instantInput = (first: string, last: string) =>
  z.iso
    .datetime({ error: 'must be an ISO 8601 date and time', abort: true })
    .refine((value) => Date.parse(value) >= Date.parse(first) && Date.parse(value) <= Date.parse(last), {
      error: `must be from ${first} to ${last}`,
    })

export const created = z.object({ sid: z.string() })
