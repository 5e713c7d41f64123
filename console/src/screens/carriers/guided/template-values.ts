import type { z } from '../../../zod.ts'
import { type CarrierValues, carrierValues } from '../form/carrier-form.ts'

/** Finds what a carrier from a template still lacks. Templates contain placeholders such as `<your-domain>`. */

const placeholder = /<your-[^<>]*>/

/** Names in text fields also begin without a bracket. Host names can do so too, but they are real. */
const textPlaceholder = /^<?your-/

/** Text fields of templates that can contain a placeholder. */
const textFields = ['register_username', 'inbound_auth_username', 'tech_prefix', 'diversion'] as const
type TextField = (typeof textFields)[number]

/** The password of each user name. Only its mask is known, so a placeholder in it cannot be seen. */
const passwords = { register_username: 'register_password', inbound_auth_username: 'inbound_auth_password' } as const

/** The carrier works without this field. */
const optionalField = 'diversion'

export interface Placeholders {
  fields: ReadonlySet<TextField>
  /** Indexes of the SIP gateways whose address contains a placeholder. */
  gateways: readonly number[]
}

/** Returns the placeholders in a carrier, or undefined if it has none. */
export const findPlaceholders = (values: CarrierValues): Placeholders | undefined => {
  const fields = new Set(textFields.filter((field) => textPlaceholder.test(values[field])))
  const gateways = values.sip_gateways.flatMap(({ ipv4 }, index) => (placeholder.test(ipv4) ? [index] : []))
  return fields.size === 0 && gateways.length === 0 ? undefined : { fields, gateways }
}

/** Returns the placeholder in a text, such as `<your-domain>`. */
export const getPlaceholder = (text: string): string => placeholder.exec(text)?.[0] ?? text

/** Returns the values of the form: placeholders and their passwords are empty. Addresses keep theirs as a pattern. */
export const withoutPlaceholders = (values: CarrierValues, { fields }: Placeholders): CarrierValues => {
  const emptied = [...fields].flatMap((field) =>
    field === 'register_username' || field === 'inbound_auth_username' ? [field, passwords[field]] : [field],
  )
  return { ...values, ...Object.fromEntries(emptied.map((field) => [field, ''])) }
}

/** Returns the rules of the carrier form. What replaces a placeholder is also required. */
export const createTemplateSchema = ({ fields }: Placeholders): z.ZodMiniType<CarrierValues, CarrierValues> =>
  carrierValues.check(({ value, issues }) => {
    for (const field of fields)
      if (field !== optionalField && value[field] === '')
        issues.push({ code: 'custom', input: '', path: [field], message: 'Enter the value that the carrier gave you' })
  })
