import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { listPageQuery } from './api/list-pages.ts'
import { anySid, sid, text } from './api/values.ts'
import { maxImported, maxListed, maxRouted } from './phone-numbers/bulk-limits.ts'
import { phoneNumber } from './phone-numbers.ts'
import { numberAttention } from './shared/attention-kinds.ts'

/**
 * Bulk operations on phone numbers. Patchbay extensions: the platform's API lists numbers without names and changes one
 * number per request.
 */

const named = phoneNumber.extend({
  carrier_name: z.string().nullable(),
  account_name: z.string().nullable(),
  application_name: z.string().nullable(),
})
export type NamedPhoneNumber = z.infer<typeof named>

/** Longer than any name or SID that can be stored. */
const mention = text(255).optional()

/** A row of the file. An absent member means that the file has no such column; an empty application means none. */
const row = z.strictObject({
  number: z.string({ error: 'must be text' }).max(500, { error: 'must be at most 500 characters long' }),
  carrier: mention,
  account: mention,
  application: mention,
  /** Confirms that the number is a pattern. A new pattern is imported only with it. */
  is_pattern: z.boolean({ error: 'must be true or false' }).optional(),
  /** Line number in the file, for messages. */
  line: z.number({ error: 'must be a whole number' }).int().optional(),
})

const routed = {
  number: z.string(),
  voip_carrier_sid: z.string().nullable(),
  account_sid: z.string(),
  application_sid: z.string().nullable(),
}

const plan = z.discriminatedUnion('is', [
  z.object({ is: z.literal('new'), is_pattern: z.boolean(), ...routed }),
  z.object({ is: z.enum(['changed', 'unchanged']), phone_number_sid: z.string(), ...routed }),
  z.object({ is: z.literal('wrong'), column: row.omit({ line: true, is_pattern: true }).keyof(), why: z.string() }),
])

/** A list with at least one and at most `max` items. A longer list is rejected as a whole. */
const boundedList = <Item extends z.ZodType>(item: Item, max: number, what: string) =>
  z
    .array(item, { error: `must be a list of ${what}` })
    .min(1, { error: `must name at least one of the ${what}` })
    .max(max, { error: `must be at most ${max} ${what}` })

export const manyPhoneNumberEndpoints = endpoints({
  'GET /patchbay/phone-numbers': {
    summary:
      'List a page of the phone numbers that the caller can access, with the names of their carriers, accounts, and applications',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({
      page: listPageQuery.page.unwrap(),
      page_size: listPageQuery.page_size.refine((size) => Number(size ?? 0) <= maxListed, {
        error: `must be at most ${maxListed}`,
      }),
      account_sid: anySid.optional(),
      /** For admins only. Other callers always use their own service provider. */
      service_provider_sid: anySid.optional(),
      voip_carrier_sid: anySid.optional(),
      /** Part of the number; `%` and `_` are wildcards. */
      filter: z.string().max(255).optional(),
      /** Only numbers with this problem. */
      attention: z.enum(numberAttention).optional(),
    }),
    responses: {
      200: z.object({ total: z.number(), page: z.number(), page_size: z.number(), data: z.array(named) }),
    },
  },
  'POST /patchbay/phone-numbers/routing': {
    summary: 'Set or clear the application of several phone numbers; numbers that cannot be changed are listed',
    access: { minScope: 'account', owner: 'body' },
    body: z.strictObject({
      /** Null removes the application. */
      application_sid: anySid.nullable(),
      /** Changes only numbers that have this application, or none if it is null. */
      current_application_sid: anySid.nullish(),
      phone_number_sids: boundedList(sid, maxRouted, 'phone numbers'),
    }),
    responses: {
      200: z.object({
        changed: z.array(z.object({ phone_number_sid: z.string(), previous_application_sid: z.string().nullable() })),
        failed: z.array(z.object({ phone_number_sid: z.string(), number: z.string().nullable(), why: z.string() })),
      }),
    },
  },
  'POST /patchbay/phone-numbers/import': {
    summary: 'Check or import rows of a file; all valid rows are imported in one transaction',
    access: { minScope: 'account', owner: 'body' },
    body: z.strictObject({
      /**
       * The service provider in which account and carrier names are looked up. For admins only; other callers always
       * use their own.
       */
      service_provider_sid: anySid.optional(),
      dry_run: z.boolean({ error: 'must be true or false' }),
      rows: boundedList(row, maxImported, 'rows'),
    }),
    responses: { 200: z.object({ rows: z.array(plan) }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const manyPhoneNumberDescriptions: Descriptions = {
  application_name: 'Name of the application.',
  carrier_name: 'Name of the carrier.',
  changed: 'Numbers that were changed, with their previous applications.',
  column: 'Column of the file to which the message applies.',
  current_application_sid: 'Changes only numbers that have this application; null for those without one.',
  failed: 'Numbers that could not be changed, with the reasons.',
  is_pattern: 'true to confirm that the number of a new row is a pattern. Ignored for numbers.',
  phone_number_sids: 'SIDs of the phone numbers.',
  previous_application_sid: 'SID of the application before the change, or null if there was none.',
}
