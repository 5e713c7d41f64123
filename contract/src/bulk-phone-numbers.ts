import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { listPageQuery } from './list-pages.ts'
import { phoneNumber } from './phone-numbers.ts'
import { maxImported, maxListed, maxRouted } from './phone-number/bulk-limits.ts'
import { anySid, sid, text } from './values.ts'

/** Many phone numbers at once. Extensions: on the wire each is listed without names, and changed by itself. */

const named = phoneNumber.extend({
  carrier_name: z.string().nullable(),
  account_name: z.string().nullable(),
  application_name: z.string().nullable(),
})
export type NamedPhoneNumber = z.infer<typeof named>

/** Names and SIDs are no longer than this. */
const mention = text(255).optional()

/** What is left out the file does not say. An empty application is none. */
const row = z.strictObject({
  number: z.string({ error: 'must be text' }).max(500, { error: 'must be at most 500 characters long' }),
  carrier: mention,
  account: mention,
  application: mention,
  /** where it stands in the file, for what is said of it */
  line: z.number({ error: 'must be a whole number' }).int().optional(),
})

const routed = {
  number: z.string(),
  voip_carrier_sid: z.string().nullable(),
  account_sid: z.string(),
  application_sid: z.string().nullable(),
}

const plan = z.discriminatedUnion('is', [
  z.object({ is: z.literal('new'), ...routed }),
  z.object({ is: z.enum(['changed', 'unchanged']), phone_number_sid: z.string(), ...routed }),
  z.object({ is: z.literal('wrong'), column: row.omit({ line: true }).keyof(), why: z.string() }),
])

/** Each row once, with nothing that is not text; a list that is too long is refused whole. */
const listOf = <Item extends z.ZodType>(item: Item, max: number, what: string) =>
  z
    .array(item, { error: `must be a list of ${what}` })
    .min(1, { error: `must name at least one of the ${what}` })
    .max(max, { error: `must be at most ${max} ${what}` })

export const manyPhoneNumberEndpoints = endpoints({
  'GET /patchbay/phone-numbers': {
    summary: 'A page of the phone numbers the caller may see, with the names of what they lead to',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({
      page: listPageQuery.page.unwrap(),
      page_size: listPageQuery.page_size.refine((size) => Number(size ?? 0) <= maxListed, {
        error: `must be at most ${maxListed}`,
      }),
      account_sid: anySid.optional(),
      /** of admins alone; others have their own */
      service_provider_sid: anySid.optional(),
      voip_carrier_sid: anySid.optional(),
      /** a part of the number; % and _ stand for any */
      filter: z.string().max(255).optional(),
    }),
    responses: {
      200: z.object({ total: z.number(), page: z.number(), page_size: z.number(), data: z.array(named) }),
    },
  },
  'POST /patchbay/phone-numbers/routing': {
    summary: 'Give several phone numbers one application, or none; those that cannot have it are named and stay',
    access: { minScope: 'account', owner: 'body' },
    body: z.strictObject({
      /** null for none */
      application_sid: anySid.nullable(),
      phone_number_sids: listOf(sid, maxRouted, 'phone numbers'),
    }),
    responses: {
      200: z.object({
        failed: z.array(z.object({ phone_number_sid: z.string(), number: z.string().nullable(), why: z.string() })),
      }),
    },
  },
  'POST /patchbay/phone-numbers/import': {
    summary: 'What becomes of rows of a file, or makes it so: all rows that can be at once, or none',
    access: { minScope: 'account', owner: 'body' },
    body: z.strictObject({
      /** whose accounts and carriers are named; of admins alone, others have their own */
      service_provider_sid: anySid.optional(),
      dry_run: z.boolean({ error: 'must be true or false' }),
      rows: listOf(row, maxImported, 'rows'),
    }),
    responses: { 200: z.object({ rows: z.array(plan) }) },
  },
})
