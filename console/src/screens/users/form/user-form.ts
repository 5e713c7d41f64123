import { scopes } from '@patchbay/contract/access'
import { userLengths } from '@patchbay/contract/shared/column-lengths'
import { missingPasswordRequirements, type PasswordPolicy } from '@patchbay/contract/identity/passwords'
import type { User } from '@patchbay/contract/users'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, z } from '../../../zod.ts'

/** The values of the user form; the sections edit them, add and edit send them. */

export const noAccounts = 'Cannot create an account. Service Provider has no accounts.'
const invalidPassword = 'Invalid password.'

export interface UserRules {
  policy: PasswordPolicy
  /** without a password of its own yet */
  isNew: boolean
  /** whether there is an account to choose */
  hasAccounts: boolean
  /** whether another address wants the present password */
  guardsEmail: boolean
}

/** Where the server mails links to set a password, one's own address changes with the present password alone. */
export const wantsPassword = (
  email: string,
  stored: { email: string } | undefined,
  { guardsEmail }: Pick<UserRules, 'guardsEmail'>,
): boolean => guardsEmail && stored !== undefined && email.trim() !== stored.email

/** As browsers check an address; one that is stored already may be anything. */
const isEmail = (text: string): boolean => z.regexes.html5Email.test(text)

const passwordFault = (password: string, { policy, isNew }: UserRules): string | undefined => {
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
    })
    .check(({ value, issues }) => {
      const wrong = (path: string, message: string) => issues.push({ code: 'custom', input: '', path: [path], message })
      const fault = passwordFault(value.initial_password, rules)
      if (fault) wrong('initial_password', fault)
      if (wantsPassword(value.email, stored, rules) && value.old_password === '')
        wrong('old_password', 'Enter your present password')
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
}

export const toFormValues = ({ scope: _scope, ...user }: User): UserValues => ({
  // Of the platform's own server it is a column that says something else.
  scope: user.account_sid !== null ? 'account' : user.service_provider_sid !== null ? 'service_provider' : 'admin',
  account_sid: user.account_sid ?? '',
  name: user.name,
  email: user.email,
  initial_password: '',
  old_password: '',
  force_change: Boolean(user.force_change),
  is_active: Boolean(user.is_active),
  is_view_only: user.is_view_only,
})

/** What both creating and changing send, but for the password. */
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
])

/** What is taken is answered with 422; any other refusal says itself what is wrong. */
export const userRefusal = ({ field = '', status, message }: ApiError): FieldErrors<UserValues> => {
  const known = fields.get(field)
  if (known === undefined) return {}
  if (known === 'old_password') return { [known]: 'The password was not accepted' }
  const taken = known === 'name' ? 'Another user has this name.' : 'Another user has this email address.'
  return { [known]: status === 422 ? taken : message }
}
