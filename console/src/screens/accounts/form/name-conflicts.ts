import type { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import type { AccountValues } from './account-form.ts'

/**
 * Detects names and SIP realms that are already in use: before saving, and from the server's error if another user
 * saves first.
 */

interface UniqueFields {
  name: string
  sip_realm: string | null
  /** SID of the edited account, which is not compared with itself. */
  except?: string
}

const conflictMessages = {
  name: 'The name you have entered is already in use on another one of your accounts.',
  sip_realm: 'The SIP Realm you have entered is already in use on another one of your accounts.',
} as const

/** Searches all accounts that the user manages, of all service providers. */
const findConflicts = ({ name, sip_realm, except }: UniqueFields) =>
  api('GET /patchbay/accounts/taken', {
    query: { name, ...(sip_realm ? { sip_realm } : {}), ...(except ? { except } : {}) },
  })

export const takenErrors = async (fields: UniqueFields): Promise<FieldErrors<AccountValues>> => {
  const conflicts = await findConflicts(fields)
  return {
    ...(conflicts.name ? { name: conflictMessages.name } : {}),
    ...(conflicts.sip_realm ? { sip_realm: conflictMessages.sip_realm } : {}),
  }
}

/**
 * Status 422 means that the value is already in use. Any other error carries a message that is specific enough to show.
 */
export const accountFieldErrors = ({ field, status, message, detail }: ApiError): FieldErrors<AccountValues> => {
  if (field === 'device_calling_application_sid' || field === 'siprec_hook_sid') return { [field]: detail ?? message }
  return field === 'name' || field === 'sip_realm'
    ? { [field]: status === 422 ? conflictMessages[field] : (detail ?? message) }
    : {}
}
