import { isAtLeast, type Scope, scopes } from '@patchbay/contract/api/access'
import type { User } from '@patchbay/contract/users'
import { userLengths } from '@patchbay/contract/users/record'
import { missingPasswordRequirements, type PasswordPolicy } from '@patchbay/rules/identity/passwords'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { requiredText, z } from '../../../zod.ts'

/** Values of the user form and their conversion from and to the API. */

export const noAccounts = 'Cannot create an account. Service Provider has no accounts.'
const invalidPassword = 'Invalid password.'

export interface UserRules {
  policy: PasswordPolicy
  /** True for a user without a password. */
  isNew: boolean
  /** True if there is an account to select. */
  hasAccounts: boolean
  /** True if a change of the email address requires the current password. */
  guardsEmail: boolean
}

/**
 * Returns true if the current password is required. Servers that mail password links require it for changes of one's
 * own address.
 */
export const requiresPassword = (
  email: string,
  stored: { email: string } | undefined,
  { guardsEmail }: Pick<UserRules, 'guardsEmail'>,
): boolean => guardsEmail && stored !== undefined && email.trim() !== stored.email

/** Uses the same rule as browsers. A stored address is not validated again. */
const isEmail = (text: string): boolean => z.regexes.html5Email.test(text)

const validatePassword = (password: string, { policy, isNew }: UserRules): string | undefined => {
  if (password === '') return isNew ? 'Enter a temporary password' : undefined
  return missingPasswordRequirements(password, policy).length > 0 ? invalidPassword : undefined
}

export const userValues = (rules: UserRules, stored?: { email: string }) =>
  z
    .object({
      scope: z.enum(scopes),
      account_sid: z.string(),
      name: requiredText(userLengths.name, 'Enter a name'),
      email: requiredText(userLengths.email, 'Enter an email address').check(
        z.refine((email) => email === '' || email === stored?.email || isEmail(email), {
          error: 'Enter an email address such as name@example.com',
        }),
      ),
      initial_password: z.string(),
      old_password: z.string(),
      force_change: z.boolean(),
      is_active: z.boolean(),
      is_view_only: z.boolean(),
      /** True if a new user chooses a password with a link that is mailed. */
      invites: z.boolean(),
    })
    .check(({ value, issues }) => {
      const wrong = (path: string, message: string) => issues.push({ code: 'custom', input: '', path: [path], message })
      const fault = value.invites ? undefined : validatePassword(value.initial_password, rules)
      if (fault) wrong('initial_password', fault)
      if (requiresPassword(value.email, stored, rules) && value.old_password === '')
        wrong('old_password', 'Enter your current password')
      if (value.scope === 'account' && value.account_sid === '')
        wrong('account_sid', rules.hasAccounts ? 'Choose an account' : noAccounts)
    })
export type UserValues = z.infer<ReturnType<typeof userValues>>

export const emptyUser: UserValues = {
  scope: 'account',
  account_sid: '',
  name: '',
  email: '',
  initial_password: '',
  old_password: '',
  force_change: true,
  is_active: true,
  is_view_only: false,
  invites: false,
}

export const toFormValues = ({ scope: _scope, ...user }: User): UserValues => ({
  // The `scope` column of the upstream jambonz server has another meaning, so the scope is derived from the owner.
  scope: user.account_sid !== null ? 'account' : user.service_provider_sid !== null ? 'service_provider' : 'admin',
  account_sid: user.account_sid ?? '',
  name: user.name,
  email: user.email,
  initial_password: '',
  old_password: '',
  force_change: Boolean(user.force_change),
  is_active: Boolean(user.is_active),
  is_view_only: user.is_view_only,
  invites: false,
})

/** Returns the body of an invitation, whose user is always active. */
export const toInvitation = (values: UserValues, service_provider_sid: string | null) => {
  const { force_change: _change, is_active: _active, ...body } = toPayload(values, service_provider_sid)
  return body
}

/** Returns the member that a server requires to give a user a wider scope. */
export const toPromotion = (values: UserValues, before: Pick<UserValues, 'scope'>): { scope?: Scope } =>
  isAtLeast(before.scope, values.scope) ? {} : { scope: values.scope }

/** Returns the request body for creation and updates, without passwords. */
export const toPayload = (values: UserValues, service_provider_sid: string | null) => ({
  name: values.name.trim(),
  email: values.email.trim(),
  force_change: values.force_change,
  is_active: values.is_active,
  is_view_only: values.is_view_only,
  service_provider_sid: values.scope === 'admin' ? null : service_provider_sid,
  account_sid: values.scope === 'account' ? values.account_sid : null,
})

const fields = new Map<string, keyof UserValues>([
  ['name', 'name'],
  ['email', 'email'],
  ['initial_password', 'initial_password'],
  ['old_password', 'old_password'],
  ['account_sid', 'account_sid'],
  ['service_provider_sid', 'scope'],
  ['scope', 'scope'],
])

/**
 * Status 422 means that the value is already in use. Any other error carries a message that is specific enough to show.
 */
export const userFieldErrors = ({ field = '', status, message }: ApiError): FieldErrors<UserValues> => {
  const formField = fields.get(field)
  if (formField === undefined) return {}
  if (formField === 'old_password') return { [formField]: 'The password was not accepted' }
  const conflictMessage = formField === 'name' ? 'Another user has this name.' : 'Another user has this email address.'
  return { [formField]: status === 422 ? conflictMessage : message }
}
