import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { ValidateLength } from '@patchbay/rules/phone-number/number-lengths'
import { readTypedNumber as readWithLength } from '@patchbay/rules/phone-number/read-number'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { z } from '../../../zod.ts'
import { describePattern } from './pattern-examples.ts'

/** Values of the phone number form and their conversion from and to the API. */

let validateLength: ValidateLength | undefined

/** Loads the numbering plans, after which the form also rejects international numbers that lack digits. */
export const loadNumberLengths = async (): Promise<void> => {
  const lengths = await import('@patchbay/rules/phone-number/number-lengths')
  validateLength = lengths.validateInternationalLength
}

const readTypedNumber = (typed: string) => readWithLength(typed, validateLength)

const numberInUse = 'The phone number you have entered is already in use.'

/**
 * Returns the schema of the form. The number and the carrier are validated for new numbers only, because they cannot
 * change later.
 */
export const numberValues = ({ isNew }: { isNew: boolean }) =>
  z
    .object({
      number: z.string(),
      is_pattern: z.boolean(),
      account_sid: z.string(),
      voip_carrier_sid: z.string(),
      application_sid: z.string(),
    })
    .check(({ value, issues }) => {
      const wrong = (path: string, message: string) => issues.push({ code: 'custom', input: '', path: [path], message })
      if (value.account_sid === '') wrong('account_sid', 'Choose an account')
      if (!isNew) return
      const reading = readTypedNumber(value.number)
      if (reading.is === 'wrong') wrong('number', reading.why)
      if (reading.is === 'pattern' && !value.is_pattern) wrong('is_pattern', 'Confirm that you want a pattern')
      if (value.voip_carrier_sid === '') wrong('voip_carrier_sid', 'Choose a carrier')
    })
export type NumberValues = z.infer<ReturnType<typeof numberValues>>

export const emptyNumber: NumberValues = {
  number: '',
  is_pattern: false,
  account_sid: '',
  voip_carrier_sid: '',
  application_sid: '',
}

export const toFormValues = ({
  number,
  account_sid,
  voip_carrier_sid,
  application_sid,
}: PhoneNumber): NumberValues => ({
  number,
  is_pattern: false,
  account_sid: account_sid ?? '',
  voip_carrier_sid: voip_carrier_sid ?? '',
  application_sid: application_sid ?? '',
})

/** Returns the account and the application, which are the only fields that an update can change. */
export const toRoutingPayload = ({ account_sid, application_sid }: NumberValues) => ({
  account_sid,
  application_sid: application_sid || null,
})

/** The form is valid, so that the text is a number or a pattern. */
const toStored = (typed: string): string => {
  const reading = readTypedNumber(typed)
  return reading.is === 'wrong' ? typed : reading.stored
}

export const toPayload = (values: NumberValues) => ({
  number: toStored(values.number),
  voip_carrier_sid: values.voip_carrier_sid,
  ...toRoutingPayload(values),
})

/** Returns a hint about the number while the user types. */
export const numberHint = (typed: string): string => {
  if (typed.trim() === '')
    return 'Include the country code, for example 15083084809. A leading + or 00 and separators are removed.'
  const reading = readTypedNumber(typed)
  if (reading.is === 'wrong') return reading.why
  if (reading.is === 'pattern') return `${describePattern(reading.stored)} Exact numbers take precedence.`
  return reading.stored === typed.trim() ? 'Matches exactly this number.' : `Stored as ${reading.stored}.`
}

/** Returns whether the typed text is a pattern, which the user has to confirm. */
export const isTypedPattern = (typed: string): boolean => readTypedNumber(typed).is === 'pattern'

const fields = new Set<string>(Object.keys(emptyNumber))

/** The upstream jambonz server reports a duplicate number without a field, so the message is matched. */
export const isDuplicateNumber = ({ status, message }: Pick<ApiError, 'status' | 'message'>): boolean =>
  status === 422 && /^duplicate entry/i.test(message)

export const numberFieldErrors = (error: ApiError): FieldErrors<NumberValues> => {
  if (isDuplicateNumber(error)) return { number: numberInUse }
  const { field = '', message } = error
  return fields.has(field) ? { [field]: message } : {}
}
