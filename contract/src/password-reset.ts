import { z } from 'zod'
import { endpoints } from './api/endpoint.ts'
import { signedInUserFields } from './users.ts'

/**
 * Password reset (docs/reference/platform-api/identity.md#password-reset). Members are optional in the schemas because
 * the handlers report missing members with the messages of the platform's API.
 */

const maybeText = z.string().max(1024).optional()

export const signinAnswer = z.object({
  /** Session token. For a link, it is valid only for changing the password with the link and for reading the policy. */
  jwt: z.string(),
  ...signedInUserFields,
  /** Whether the account is active. */
  is_active: z.boolean(),
  pristine: z.literal(false),
})
export type SigninAnswer = z.infer<typeof signinAnswer>

export const passwordResetEndpoints = endpoints({
  'POST /forgot-password': {
    summary: 'Request a password reset email; the response is the same for known and unknown addresses',
    access: { minScope: 'public', owner: 'none' },
    body: z.object({ email: z.unknown().optional().meta({ type: 'string' }) }),
    responses: { 204: null },
  },
  'POST /signin': {
    summary: 'Sign in with a confirmed email address, or get a token for a password change with the link of an email',
    access: { minScope: 'public', owner: 'none' },
    body: z.object({ link: maybeText, email: maybeText, password: maybeText }),
    responses: { 200: signinAnswer },
  },
  'POST /change-password': {
    summary: 'Set a new password with the old password or a reset link; ends all sessions of the user',
    access: {
      minScope: 'account',
      owner: 'self',
      usersOnly: true,
      whilePasswordMustChange: true,
      allowViewOnly: true,
      allowSuspended: true,
      allowResetLink: true,
    },
    body: z.object({ old_password: maybeText, new_password: maybeText }),
    responses: { 204: null },
  },
})
