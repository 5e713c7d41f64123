import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { accountsQuery } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import type { AccountValues } from './account-form.ts'

/** Names and realms that are taken: asked before a save, and told by the server when somebody was faster. */

interface Wanted {
  service_provider_sid: string
  name: string
  sip_realm: string | null
  /** the account itself */
  except?: string
}

const texts = {
  name: 'The name you have entered is already in use on another one of your accounts.',
  sip_realm: 'The SIP Realm you have entered is already in use on another one of your accounts.',
} as const

/** Asked of the server, or where it cannot be asked, of the list. */
const lookUp = async ({ service_provider_sid, name, sip_realm, except }: Wanted) => {
  if (config().extensions.has('accounts-taken'))
    return api('GET /patchbay/accounts/taken', {
      query: { service_provider_sid, name, ...(sip_realm ? { sip_realm } : {}), ...(except ? { except } : {}) },
    })
  const accounts = await queryClient.fetchQuery(accountsQuery(service_provider_sid))
  const others = accounts.filter(({ account_sid }) => account_sid !== except)
  return {
    name: others.some((other) => other.name.toLowerCase() === name.toLowerCase()),
    sip_realm: sip_realm !== null && others.some((other) => other.sip_realm?.toLowerCase() === sip_realm),
  }
}

export const takenErrors = async (wanted: Wanted): Promise<FieldErrors<AccountValues>> => {
  const taken = await lookUp(wanted)
  return {
    ...(taken.name ? { name: texts.name } : {}),
    ...(taken.sip_realm ? { sip_realm: texts.sip_realm } : {}),
  }
}

/** Only what is taken is answered with 422; any other refusal says itself what is wrong. */
export const accountRefusal = ({ field, status, message, detail }: ApiError): FieldErrors<AccountValues> => {
  if (field === 'device_calling_application_sid' || field === 'siprec_hook_sid') return { [field]: detail ?? message }
  return field === 'name' || field === 'sip_realm'
    ? { [field]: status === 422 ? texts[field] : (detail ?? message) }
    : {}
}
