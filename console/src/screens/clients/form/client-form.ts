import type { Client } from '@patchbay/contract/clients'
import { clientLengths } from '@patchbay/contract/clients/record'
import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { maxText, requiredText, z } from '../../../zod.ts'

/** Values of the SIP client form and their conversion from and to the API. */

const settings = {
  is_active: z.boolean(),
  allow_direct_app_calling: z.boolean(),
  allow_direct_queue_calling: z.boolean(),
  allow_direct_user_calling: z.boolean(),
}

/** Settings that can change after the creation of a client. */
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

/** Returns why a client of this account cannot be saved, or undefined if it can or no account is selected. */
export const blockedBy = (account: { sip_realm: string | null } | undefined): string | undefined =>
  account && !account.sip_realm ? noRealm : undefined

const usernameInUse = 'The account already has a SIP client with this name.'

/** The upstream jambonz server does not name the field of this error. */
const isUsernameConflict = ({ message }: ApiError): boolean => message === "the client's username already exists"

export const clientFieldErrors = (failure: ApiError): FieldErrors<NewClientValues> => {
  const { field, message } = failure
  if (isUsernameConflict(failure)) return { username: usernameInUse }
  return field === 'username' || field === 'password' || field === 'account_sid' ? { [field]: message } : {}
}

/** Excludes l, I, 1, O, and 0, which are easily confused when someone types the password into a phone. */
const passwordAlphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns a random password. 20 characters out of 57 have 116 bits of entropy. */
export const randomPassword = (random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): string => {
  let password = ''
  while (password.length < 20)
    // Bytes beyond a multiple of the alphabet length are skipped, because they would make some characters more likely.
    for (const byte of random(new Uint8Array(32)))
      if (byte < 4 * passwordAlphabet.length && password.length < 20)
        password += passwordAlphabet[byte % passwordAlphabet.length]
  return password
}

/** Returns the proxy addresses that a device can use, one for each transport of each SBC. */
export const deviceAddresses = (sbcs: readonly SbcAddress[]): { transport: string; address: string }[] =>
  sbcs.flatMap(({ ipv4, port, tls_port, wss_port }) => [
    { transport: 'UDP or TCP', address: `${ipv4}:${port}` },
    ...(tls_port ? [{ transport: 'TLS', address: `${ipv4}:${tls_port}` }] : []),
    ...(wss_port ? [{ transport: 'WebSocket (WSS)', address: `wss://${ipv4}:${wss_port}` }] : []),
  ])
