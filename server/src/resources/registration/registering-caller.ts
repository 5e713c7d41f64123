import type { Owner } from '@patchbay/contract/api/access'
import type { Caller } from '../../lib/caller.ts'

interface RegisteringUser extends Owner {
  user_sid: string
  email: string
}

/** Returns the caller for the audit entries of a registration, because the user did not exist before. */
export const createRegisteringCaller = (
  { user_sid, account_sid, service_provider_sid, email }: RegisteringUser,
  { address, request_id }: Pick<Caller, 'address' | 'request_id'>,
): Caller => ({
  token: 'user',
  scope: 'account',
  user_sid,
  account_sid,
  service_provider_sid,
  is_view_only: false,
  must_change_password: false,
  sid: user_sid,
  name: email,
  address,
  request_id,
})
