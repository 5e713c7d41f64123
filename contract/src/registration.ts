import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { name, sid, text } from './api/values.ts'

/**
 * Self-service registration of accounts in a hosted installation
 * (docs/reference/platform-api/hosted-mode.md#registration).
 */

/**
 * The handler validates these members because clients expect the messages and the order of checks of the platform's
 * API.
 */
const maybeText = text(2048).nullish()

export const registration = z.object({
  service_provider_sid: maybeText,
  /** local, github, or google */
  provider: maybeText,
  email: maybeText,
  password: maybeText,
  /** Used only if an administrator sends it without hosted mode. Otherwise the server generates and mails the code. */
  email_activation_code: maybeText,
  inviteCode: maybeText,
  name: maybeText,
  oauth2_code: maybeText,
  oauth2_state: maybeText,
  oauth2_client_id: maybeText,
  oauth2_redirect_uri: maybeText,
  /** `/sign-in` prevents the creation of an account that does not exist. */
  locationBeforeAuth: maybeText,
  /** PKCE code verifier (RFC 7636). Optional because only Patchbay's console sends it. */
  oauth2_code_verifier: maybeText,
  /**
   * Expected nonce of the ID token (OpenID Connect Core §3.1.2.1). Optional because only Patchbay's console sends it.
   */
  oauth2_nonce: maybeText,
})
export type Registration = z.output<typeof registration>

export const registered = z.object({
  jwt: z.string(),
  user_sid: z.string(),
  account_sid: z.string(),
  name: z.string(),
  email: z.string(),
  provider: z.string(),
  provider_userid: z.string().optional(),
  avatar_url: z.string().optional(),
  picture: z.string().optional(),
  /** Parent domain for the account's SIP realm. Set for new accounts only. */
  root_domain: z.string().optional(),
  /** True for a new account. Absent if only the sign-in method changes. */
  pristine: z.boolean().optional(),
  /** Whether the account is active. False until the email address is confirmed. */
  is_active: z.boolean().optional(),
  email_validated: z.boolean(),
  phone_validated: z.boolean().optional(),
  tutorial_completion: z.literal(0).optional(),
  /** From the user's row, for API compatibility. It does not describe the permissions of the token. */
  scope: z.string().optional(),
})
export type Registered = z.infer<typeof registered>

/** Every `type` except `email` means a phone number, as in the platform's API. Nothing is ever sent to phones. */
const verification = z.object({ user_sid: sid, type: maybeText, value: maybeText, code: maybeText })

const inviteCodeCheck = z.object({
  code: maybeText,
  /** Checks whether the code is valid, without redeeming it. */
  test: z.unknown().optional().meta({ type: 'boolean' }),
})

export const registrationEndpoints = endpoints({
  'POST /register': {
    summary: 'Register with an email address, Google, or GitHub; signed-in users change their sign-in method',
    access: { minScope: 'public', owner: 'none', optionalAuth: true },
    body: registration,
    responses: { 200: registered },
  },
  'POST /patchbay/sign-in-links': {
    summary:
      'Link a Google or GitHub account to the user with its address after checking the password; signs the user in',
    access: { minScope: 'public', owner: 'none' },
    body: z.strictObject({
      /** From the error response of POST /register. */
      ticket: name(255),
      password: name(1024),
    }),
    responses: { 200: registered },
  },
  'PUT /ActivationCode/:code': {
    summary: 'Confirm an email address or a phone number with the activation code',
    access: { minScope: 'public', owner: 'none', optionalAuth: true },
    body: verification,
    responses: { 204: null },
  },
  'POST /ActivationCode': {
    summary: 'Send another activation code',
    access: { minScope: 'public', owner: 'none', optionalAuth: true },
    body: verification,
    responses: { 204: null },
  },
  'POST /InviteCodes': {
    summary: 'Claim or check an invite code',
    access: { minScope: 'public', owner: 'none' },
    body: inviteCodeCheck,
    responses: { 204: null },
  },
  'POST /BetaInviteCodes': {
    summary: 'Create invite codes',
    access: { minScope: 'admin', owner: 'none' },
    body: z.object({
      count: z
        .number({ error: 'must be a number' })
        .int({ error: 'must be a whole number' })
        .max(1000, { error: 'must be at most 1000' })
        .nullish(),
    }),
    responses: { 200: z.object({ status: z.literal('ok'), added: z.number(), codes: z.array(z.string()) }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const registrationDescriptions: Descriptions = {
  added: 'Number of created codes.',
  avatar_url: 'URL of the picture at the sign-in provider.',
  code: 'Activation code or invite code.',
  codes: 'Created invite codes.',
  count: 'Number of codes to create.',
  inviteCode: 'Invite code.',
  locationBeforeAuth: 'Page to return to after the sign-in.',
  oauth2_client_id: 'Client ID at the sign-in provider.',
  oauth2_code: 'Authorization code of the sign-in provider.',
  oauth2_code_verifier: 'PKCE code verifier (RFC 7636).',
  oauth2_nonce: 'Nonce of the sign-in request.',
  oauth2_redirect_uri: 'Redirect URL of the console.',
  oauth2_state: 'State of the sign-in request.',
  picture: 'URL of the picture at the sign-in provider.',
  test: 'Whether to check the code without using it.',
  ticket: 'Token that links the sign-in provider to an existing user.',
  tutorial_completion: 'Completed parts of the tutorial.',
}
