import { z } from 'zod'
import { subspaceMembers } from './accounts.ts'
import { scopes } from './api/access.ts'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { booleanInput, flag, instant, name, optionalName, sid, text } from './api/values.ts'
import { userLengths as lengths } from './users/record.ts'

/** Users and the password policy (docs/reference/platform-api/identity.md#users). */

/** Longer passwords would make hashing expensive. */
export const maxPasswordLength = 1024
const password = text(maxPasswordLength).min(1, { error: 'must not be empty' })
/** An empty text means no password. */
const maybePassword = z.string().max(maxPasswordLength)

export const newUser = z.strictObject({
  name: name(lengths.name),
  email: name(lengths.email),
  initial_password: password,
  is_active: booleanInput.optional(),
  force_change: booleanInput.optional(),
  is_view_only: booleanInput.optional(),
  service_provider_sid: sid.nullish(),
  account_sid: sid.nullish(),
})

/** A user who chooses a password with a link that is mailed. */
export const newInvitation = newUser.omit({ initial_password: true, force_change: true, is_active: true })

/** Ignores unknown members for API compatibility (docs/reference/platform-api/identity.md#update-a-user). */
export const userChange = z.object({
  old_password: maybePassword.optional(),
  new_password: maybePassword.optional(),
  name: optionalName(lengths.name).nullish(),
  email: optionalName(lengths.email).nullish(),
  email_activation_code: text(lengths.email_activation_code).nullish(),
  initial_password: maybePassword.nullish(),
  is_active: booleanInput.optional(),
  force_change: booleanInput.optional(),
  is_view_only: booleanInput.optional(),
  service_provider_sid: sid.nullish(),
  account_sid: sid.nullish(),
  /**
   * Patchbay extension: a wider scope than the current one gives the user that scope. Clients of the platform send the
   * scope of the record or values with another meaning, which have no effect.
   */
  scope: z.enum(scopes).optional().catch(undefined),
})

/** Members that lists and single users have in common. */
const commonUserFields = {
  user_sid: z.string(),
  name: z.string(),
  email: z.string(),
  /** Derived from the user's account and service provider instead of the `scope` column. */
  scope: z.enum(scopes),
  is_active: flag,
  is_view_only: z.boolean(),
  force_change: flag,
  /** `local`, or the identity provider that authenticates the user. */
  provider: z.string(),
}

/**
 * Lists omit the SIDs and names that are null, for API compatibility (docs/reference/platform-api/identity.md#users).
 */
export const listedUser = z.object({
  ...commonUserFields,
  account_sid: z.string().optional(),
  account_name: z.string().optional(),
  service_provider_sid: z.string().optional(),
  service_provider_name: z.string().optional(),
})
export type ListedUser = z.infer<typeof listedUser>

export const user = z.object({
  ...commonUserFields,
  account_sid: z.string().nullable(),
  account_name: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  service_provider_name: z.string().nullable(),
  pending_email: z.string().nullable(),
  phone: z.string().nullable(),
  provider_userid: z.string().nullable(),
  email_validated: flag,
  phone_validated: flag,
  email_content_opt_out: flag,
})
export type User = z.infer<typeof user>

/**
 * Unmodified columns of the user's account (docs/reference/platform-api/identity.md#current-user) with masked secrets.
 * All null for users without an account.
 */
const account = z.object({
  account_sid: z.string().nullable(),
  name: z.string().nullable(),
  sip_realm: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  registration_hook_sid: z.string().nullable(),
  queue_event_hook_sid: z.string().nullable(),
  device_calling_application_sid: z.string().nullable(),
  is_active: flag.nullable(),
  created_at: instant.nullable(),
  plan_type: z.string().nullable(),
  stripe_customer_id: z.string().nullable(),
  webhook_secret: z.string().nullable(),
  disable_cdrs: flag.nullable(),
  trial_end_date: instant.nullable(),
  deactivated_reason: z.string().nullable(),
  device_to_call_ratio: z.number().nullable(),
  ...subspaceMembers,
  siprec_hook_sid: z.string().nullable(),
  record_all_calls: flag.nullable(),
  record_format: z.string().nullable(),
  /** Masked if set. */
  bucket_credential: z.literal('********').nullable(),
  enable_debug_log: flag.nullable(),
  /** Inherited from the service provider. */
  root_domain: z.string().nullable(),
})

const provider = z.object({
  service_provider_sid: z.string().nullable(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  root_domain: z.string().nullable(),
  registration_hook_sid: z.string().nullable(),
  ms_teams_fqdn: z.string().nullable(),
})

/**
 * The active subscription of an account, with the card on file if there is one
 * (docs/reference/platform-api/identity.md#current-user). A suspended subscription grants nothing until it is paid.
 */
export const subscription = z.object({
  status: z.enum(['active', 'suspended']),
  suspend_reason: z.string().nullable(),
  account_subscription_sid: z.string(),
  start_date: instant,
  products: z.array(z.object({ name: z.string(), quantity: z.number() })),
  card_type: z.string().nullable(),
  last4: z.string().nullable(),
  exp_month: z.number().nullable(),
  exp_year: z.number().nullable(),
  statement_descriptor: z.string().nullable(),
})
export type Subscription = z.infer<typeof subscription>

/** The fields that a sign-in and `GET /Users/me` have in common. */
export const signedInUserFields = {
  user_sid: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  force_change: z.boolean(),
  provider: z.string(),
  provider_userid: z.string().nullable(),
  /** From the user's row, such as `read-write`. It does not describe the permissions of the token. */
  scope: z.string(),
  email_validated: z.boolean(),
  phone_validated: z.boolean(),
}

export const me = z.object({
  user: z.object({
    ...signedInUserFields,
    pending_email: z.string().nullable(),
    email_content_opt_out: flag,
    is_active: flag,
    is_view_only: z.boolean(),
  }),
  account,
  sp: provider,
  subscription: subscription.nullable(),
  /**
   * API keys of a hosted account, with masked tokens. Absent in other installations
   * (docs/reference/platform-api/hosted-mode.md#current-user).
   */
  api_keys: z
    .array(
      z.object({
        api_key_sid: z.string(),
        token: z.string(),
        last_used: instant.nullable(),
        created_at: instant.nullable(),
      }),
    )
    .optional(),
  /** Static public IP addresses that are reserved for the account. */
  static_ips: z.array(z.string()).optional(),
})
export type Me = z.infer<typeof me>

const byOwner = { of: 'user' } as const

export const userEndpoints = endpoints({
  'GET /Users': {
    summary: 'List the users that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(listedUser) },
  },
  'GET /Users/me': {
    summary: 'Get the signed-in user with its account and service provider',
    access: { minScope: 'account', owner: 'self', usersOnly: true, errorCode: 'forbidden' },
    responses: { 200: me },
  },
  'POST /Users': {
    summary: 'Create a user',
    access: { minScope: 'account', owner: 'body' },
    body: newUser,
    responses: { 201: z.object({ user_sid: z.string() }) },
  },
  'GET /Users/:user_sid': {
    summary: 'Get a user',
    access: { minScope: 'account', owner: byOwner },
    responses: { 200: user },
  },
  'PUT /Users/:user_sid': {
    summary: 'Update a user, or its password with old_password and new_password',
    access: {
      minScope: 'account',
      owner: byOwner,
      errorCode: 'forbidden',
      whilePasswordMustChange: true,
      allowViewOnly: true,
    },
    updates: { record: 'GET /Users/:user_sid', keepUnchanged: true },
    body: userChange,
    responses: { 204: null },
  },
  'DELETE /Users/:user_sid': {
    summary: 'Delete a user, except the last active admin',
    access: { minScope: 'account', owner: byOwner },
    responses: { 204: null },
  },
  'POST /patchbay/users/invitations': {
    summary: 'Create a user and mail a link for choosing a password, which works once and for three days',
    access: { minScope: 'account', owner: 'body' },
    body: newInvitation,
    responses: {
      201: z.object({
        user_sid: z.string(),
        /** False if the mail server did not accept the email. The user exists, and the email can be sent again. */
        is_mailed: z.boolean(),
      }),
    },
  },
  'POST /patchbay/users/:user_sid/invitation': {
    summary: 'Mail another link for choosing a password, which replaces the last one',
    access: { minScope: 'account', owner: byOwner },
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const userDescriptions: Descriptions = {
  account: 'Account of the signed-in user.',
  account_subscription_sid: 'SID of the subscription.',
  card_type: 'Brand of the card.',
  email_activation_code: 'Code that confirms the email address.',
  email_content_opt_out: 'Whether the user does not want emails with news.',
  email_validated: 'Whether the email address is confirmed.',
  exp_month: 'Month in which the card expires.',
  exp_year: 'Year in which the card expires.',
  initial_password: 'Password that the user receives first.',
  is_mailed: 'False if the mail server did not accept the invitation. The user exists.',
  is_view_only: 'Whether the user can see but not change records.',
  last4: 'Last four digits of the card.',
  new_password: 'New password.',
  old_password: 'Current password.',
  pending_email: 'New email address that is not confirmed yet.',
  phone: 'Phone number of the user.',
  phone_validated: 'Whether the phone number is confirmed.',
  provider: 'local, google, or github.',
  provider_userid: 'ID of the user at the sign-in provider.',
  queue_event_hook_sid: 'SID of the queue event webhook.',
  registration_hook_sid: 'SID of the registration webhook.',
  sp: 'Service provider of the signed-in user.',
  start_date: 'Start of the period.',
  statement_descriptor: 'Text on the statement of the card.',
  static_ips: 'Static IP addresses of the account.',
  suspend_reason: 'Why the account is suspended.',
  user: 'The signed-in user.',
}
