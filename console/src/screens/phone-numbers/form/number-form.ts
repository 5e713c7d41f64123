import { phoneNumberLengths } from '@patchbay/contract/shared/column-lengths'
import { validateNumber, toStoredNumber } from '@patchbay/contract/phone-number/patterns'
import { isPattern } from '@patchbay/contract/phone-number/format'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { z } from '../../../zod.ts'

/** Values of the phone number form and their conversion from and to the API. */

const numberInUse = 'The phone number you have entered is already in use.'

/**
 * Returns the schema of the form. The number and the carrier are validated for new numbers only, because they cannot
 * change later.
 */
export const numberValues = ({ isNew }: { isNew: boolean }) =>
  z
    .object({ number: z.string(), account_sid: z.string(), voip_carrier_sid: z.string(), application_sid: z.string() })
    .check(({ value, issues }) => {
      const wrong = (path: string, message: string) => issues.push({ code: 'custom', input: '', path: [path], message })
      if (value.account_sid === '') wrong('account_sid', 'Choose an account')
      if (!isNew) return
      const fault = validateNumber(toStoredNumber(value.number), phoneNumberLengths.number)
      if (fault !== undefined) wrong('number', fault)
      if (value.voip_carrier_sid === '') wrong('voip_carrier_sid', 'Choose a carrier')
    })
export type NumberValues = z.infer<ReturnType<typeof numberValues>>

export const emptyNumber: NumberValues = { number: '', account_sid: '', voip_carrier_sid: '', application_sid: '' }

export const toFormValues = ({
  number,
  account_sid,
  voip_carrier_sid,
  application_sid,
}: PhoneNumber): NumberValues => ({
  number,
  account_sid: account_sid ?? '',
  voip_carrier_sid: voip_carrier_sid ?? '',
  application_sid: application_sid ?? '',
})

/** Returns the account and the application, which are the only fields that an update can change. */
export const toRoutingPayload = ({ account_sid, application_sid }: NumberValues) => ({
  account_sid,
  application_sid: application_sid || null,
})

export const toPayload = (values: NumberValues) => ({
  number: toStoredNumber(values.number),
  voip_carrier_sid: values.voip_carrier_sid,
  ...toRoutingPayload(values),
})

/** Returns a hint about the number while the user types. */
export const numberHint = (typed: string): string => {
  const stored = toStoredNumber(typed)
  if (stored === '') return 'Include the country code, for example 15083084809. A leading + is removed.'
  if (isPattern(stored))
    return 'A pattern that matches anywhere in a number. Start it with ^ to match from the beginning. A * at the end matches any digits. Exact numbers take precedence, then longer patterns.'
  return stored === typed.trim() ? 'Matches exactly this number.' : `Stored as ${stored}.`
}

const fields = new Set<string>(Object.keys(emptyNumber))

/** The upstream jambonz server reports a duplicate number without a field, so the message is matched. */
export const isDuplicateNumber = ({ status, message }: Pick<ApiError, 'status' | 'message'>): boolean =>
  status === 422 && /^duplicate entry/i.test(message)

export const numberFieldErrors = (error: ApiError): FieldErrors<NumberValues> => {
  if (isDuplicateNumber(error)) return { number: numberInUse }
  const { field = '', message } = error
  return fields.has(field) ? { [field]: message } : {}
}
