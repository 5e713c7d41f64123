import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** A forgotten password (api/1-identity.md §3.2, §3.4, §3.5). What is missing is told by the handlers, in the wire's words. */

const maybeText = z.string().max(1024).optional()

export const signinAnswer = z.object({
  /** good for nothing but the change of the password with the link, and for reading the policy */
  jwt: z.string(),
  user_sid: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  force_change: z.boolean(),
  provider: z.string(),
  provider_userid: z.string().nullable(),
  /** of the user's row, such as read-write: not what the token may do */
  scope: z.string(),
  phone_validated: z.boolean(),
  email_validated: z.boolean(),
  /** of the account */
  is_active: z.boolean(),
  pristine: z.literal(false),
})

export const passwordResetEndpoints = endpoints({
  'POST /forgot-password': {
    summary: 'Ask for a mail with a link that sets a new password; answers alike whether the address is known or not',
    access: { minScope: 'public', owner: 'none' },
    body: z.object({ email: z.unknown().optional().meta({ type: 'string' }) }),
    responses: { 204: null },
  },
  'POST /signin': {
    summary: 'Exchange the link of such a mail for a token that may change the password',
    access: { minScope: 'public', owner: 'none' },
    body: z.object({ link: maybeText, email: maybeText, password: maybeText }),
    responses: { 200: signinAnswer },
  },
  'POST /change-password': {
    summary: 'Set a new password with the old one, or with the link of a mail; all sessions of the user end',
    access: {
      minScope: 'account',
      owner: 'self',
      usersOnly: true,
      whilePasswordMustChange: true,
      viewOnlyMay: true,
      whileSuspended: true,
      withResetLink: true,
    },
    body: z.object({ old_password: maybeText, new_password: maybeText }),
    responses: { 204: null },
  },
})
