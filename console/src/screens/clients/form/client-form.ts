import type { Client } from '@patchbay/contract/clients'
import { clientLengths } from '@patchbay/contract/shared/column-lengths'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { maxText, requiredText, z } from '../../../zod.ts'

/** The values of the form of a SIP client; the sections edit them, add and edit send them. */

const settings = {
  is_active: z.boolean(),
  allow_direct_app_calling: z.boolean(),
  allow_direct_queue_calling: z.boolean(),
  allow_direct_user_calling: z.boolean(),
}

/** What can still be changed of a client that exists. */
export const clientSettings = z.object(settings)
export type ClientSettings = z.infer<typeof clientSettings>

export const newClientValues = z.object({
  account_sid: z.string().check(z.minLength(1, { error: 'Choose an account' })),
  username: requiredText(clientLengths.username, 'Enter a user name'),
  password: z.string().check(z.minLength(1, { error: 'Enter a password' }), maxText(clientLengths.password)),
  ...settings,
})
export type NewClientValues = z.infer<typeof newClientValues>

export const emptyClient: NewClientValues = {
  account_sid: '',
  username: '',
  password: '',
  is_active: true,
  allow_direct_app_calling: true,
  allow_direct_queue_calling: true,
  allow_direct_user_calling: true,
}

export const toSettingsValues = (client: Client): ClientSettings => ({
  is_active: Boolean(client.is_active),
  allow_direct_app_calling: Boolean(client.allow_direct_app_calling),
  allow_direct_queue_calling: Boolean(client.allow_direct_queue_calling),
  allow_direct_user_calling: Boolean(client.allow_direct_user_calling),
})

export const noRealm = 'Sip realm is not set for the account.'

/** Why a client of this account cannot be saved; undefined where it can, and before an account is chosen. */
export const blockedBy = (account: { sip_realm: string | null } | undefined): string | undefined =>
  account && !account.sip_realm ? noRealm : undefined

const taken = 'The account has a SIP client of this name already.'

/** The platform's own server names no field. */
const saysTaken = ({ message }: ApiError): boolean => message === "the client's username already exists"

export const clientRefusal = (failure: ApiError): FieldErrors<NewClientValues> => {
  const { field, message } = failure
  if (saysTaken(failure)) return { username: taken }
  return field === 'username' || field === 'password' || field === 'account_sid' ? { [field]: message } : {}
}

/** Without l, I, 1, O and 0, which are read wrong and typed into telephones. */
const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password that nobody guesses: 20 of 57 characters are 116 bits. */
export const randomPassword = (random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): string => {
  let password = ''
  while (password.length < 20)
    // What is left over of 256 would make some of them likelier.
    for (const byte of random(new Uint8Array(32)))
      if (byte < 4 * letters.length && password.length < 20) password += letters[byte % letters.length]
  return password
}
