import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { name, sid, text } from './values.ts'

/** How visitors of a hosted installation come to an account (api/4-calls-and-hosted.md §5.1 to §5.4). */

/** What is missing or wrong is told by the handler, in the wire's words and order. */
const maybeText = text(2048).nullish()

export const registration = z.object({
  service_provider_sid: maybeText,
  /** local, github or google */
  provider: maybeText,
  email: maybeText,
  password: maybeText,
  /** which the platform's own console makes: taken, and not looked at. The code that counts is made and mailed here */
  email_activation_code: maybeText,
  inviteCode: maybeText,
  name: maybeText,
  oauth2_code: maybeText,
  oauth2_state: maybeText,
  oauth2_client_id: maybeText,
  oauth2_redirect_uri: maybeText,
  /** `/sign-in`: an account that does not exist is not made */
  locationBeforeAuth: maybeText,
  /** what the provider was sent the hash of when the visitor left for it (RFC 7636); ours, so may be missing */
  oauth2_code_verifier: maybeText,
  /** what an ID token must repeat (OpenID Connect Core §3.1.2.1); ours, so may be missing */
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
  /** below which SIP realms are chosen; only of a new account */
  root_domain: z.string().optional(),
  /** a new account; absent where only the way to sign in changes */
  pristine: z.boolean().optional(),
  /** of the account: false until the address is confirmed */
  is_active: z.boolean().optional(),
  email_validated: z.boolean(),
  phone_validated: z.boolean().optional(),
  tutorial_completion: z.literal(0).optional(),
  /** as the wire has it of the user's row, not what the token may do */
  scope: z.string().optional(),
})
export type Registered = z.infer<typeof registered>

/** On the wire everything but `email` is a phone, to which nothing is ever sent. */
const addressed = z.object({ user_sid: sid, type: maybeText, value: maybeText, code: maybeText })

const unclaimed = z.object({
  code: maybeText,
  /** only asks whether it would be taken */
  test: z.unknown().optional().meta({ type: 'boolean' }),
})

export const registrationEndpoints = endpoints({
  'POST /register': {
    summary: 'Register with an e-mail address or by Google or GitHub; signed in: change how one signs in',
    access: { minScope: 'public', owner: 'none', callerIfKnown: true },
    body: registration,
    responses: { 200: registered },
  },
  'POST /patchbay/sign-in-links': {
    summary: 'Link an account at Google or GitHub to the user of its address, who shows the password; signs in',
    access: { minScope: 'public', owner: 'none' },
    body: z.strictObject({
      /** of the refusal of POST /register */
      ticket: name(255),
      password: name(1024),
    }),
    responses: { 200: registered },
  },
  'PUT /ActivationCode/:code': {
    summary: 'Confirm an address with the code that was mailed there',
    access: { minScope: 'public', owner: 'none' },
    body: addressed,
    responses: { 204: null },
  },
  'POST /ActivationCode': {
    summary: 'Mail another code for the address of a registration, or a first one for a new address of oneself',
    access: { minScope: 'public', owner: 'none', callerIfKnown: true },
    body: addressed,
    responses: { 204: null },
  },
  'POST /InviteCodes': {
    summary: 'Claim an invite code, or ask whether it could be',
    access: { minScope: 'public', owner: 'none' },
    body: unclaimed,
    responses: { 204: null },
  },
  'POST /BetaInviteCodes': {
    summary: 'Make invite codes',
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
