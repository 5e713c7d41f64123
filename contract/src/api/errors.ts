import type { Uses } from './used-by.ts'

/**
 * The complete catalog of errors: code, HTTP status, and message. Clients and tests rely on some of the messages
 * (docs/reference/platform-api/conventions.md#errors). `keys` are additional members of the response body that the
 * platform's API has for this error.
 */
interface ErrorDefinition {
  status: number
  msg: string
  keys?: Readonly<Record<string, string>>
  /** Seconds after which the client can repeat the request. */
  retryAfter?: number
}

const failed = (message: string) => ({ status: 'fail', message })

export const apiErrors = {
  bad_request: { status: 400, msg: 'Bad request' },
  malformed_json: { status: 400, msg: 'The body is not valid JSON' },
  malformed_form: { status: 400, msg: 'The body is not a valid form' },
  unauthorized: { status: 401, msg: 'Unauthorized' },
  multiple_access_tokens: { status: 400, msg: 'Send the access token in one place only' },
  invalid_authorization_header: { status: 400, msg: 'The Authorization header must be: Bearer <token>' },
  forbidden: { status: 403, msg: 'Forbidden' },
  sign_in_rejected: { status: 403, msg: 'Forbidden' },
  locked_out: { status: 403, msg: 'Maximum login attempts reached. Please try again later or reset your password.' },
  insufficient_permissions: { status: 403, msg: 'insufficient permissions' },
  insufficient_privileges: { status: 403, msg: 'insufficient privileges', keys: failed('insufficient privileges') },
  view_only: { status: 403, msg: 'User has view-only access' },
  password_change_required: { status: 403, msg: 'You must change your password first' },
  account_suspended: {
    status: 403,
    msg: 'The account is suspended. Upgrade it or pay the outstanding amount to continue.',
  },
  email_invalid: {
    status: 400,
    msg: 'invalid or missing email',
    keys: { error: 'invalid or missing email', field: 'email' },
  },
  not_found: { status: 404, msg: 'Not Found' },
  call_not_found: { status: 404, msg: 'Call not found' },
  no_captured_sip: { status: 404, msg: 'No SIP of this call was captured' },
  transcript_search_disabled: {
    status: 403,
    msg: 'Search in transcripts is off for this account. Users who can change the account can turn it on in its settings.',
  },
  transcript_search_for_editors_only: {
    status: 403,
    msg: 'View-only users cannot search in these transcripts. Users who can change the account can allow it in its settings.',
  },
  review_model_disabled: {
    status: 403,
    msg: 'The service provider has not turned on checks by a language model.',
  },
  review_model_limit_exceeded: {
    status: 429,
    msg: 'The language model has done all checks of this day (UTC). The service provider can raise the limit.',
  },
  review_model_account_limit_exceeded: {
    status: 429,
    msg: 'This account has used half of the checks that its service provider has on this day (UTC). The rest is for other accounts.',
  },
  review_model_no_transcripts: {
    status: 403,
    msg: 'This account does not keep transcripts, so none is sent to a language model.',
  },
  review_model_no_conversation: {
    status: 404,
    msg: 'This call has no conversation that a language model could check.',
  },
  // The service provider chooses the model, so that a status from 500 would report a failure of Patchbay.
  review_model_failed: { status: 422, msg: 'The language model failed' },
  phone_not_configured: { status: 400, msg: 'Calls from the browser are not configured (PHONE_SBC_URLS).' },
  logs_not_configured: { status: 400, msg: 'Logs are only available in AWS environments' },
  account_sid_required: {
    status: 400,
    msg: 'account_sid is required: use /Accounts/{account_sid}/RecentCalls/{call_sid}/logs',
  },
  traces_unavailable: {
    status: 404,
    msg: 'Jaeger cannot be reached. Check JAEGER_BASE_URL and that Jaeger is running.',
  },
  captures_unavailable: {
    status: 404,
    msg: 'Homer did not respond as expected. Check HOMER_BASE_URL and the version of Homer.',
  },
  homer_credentials_rejected: {
    status: 400,
    msg: "Homer rejected Patchbay's credentials. Check HOMER_USERNAME and HOMER_PASSWORD.",
  },
  recordings_unavailable: {
    status: 404,
    msg: 'The storage of the recordings did not respond. Check the recording settings of the account.',
  },
  recording_being_analyzed: {
    status: 503,
    msg: 'The recording is being analyzed, and cannot be muted yet. Try again in a few seconds.',
    retryAfter: 2,
  },
  recording_not_mutable: {
    status: 409,
    msg: 'The recording cannot be muted, because Patchbay does not know what is said in it and when.',
  },
  no_feature_server_available: { status: 480, msg: 'no available feature servers at this time' },
  /** Replaced by the feature server's own message if it sends one. */
  feature_server_rejected: { status: 422, msg: 'The feature server rejected the command' },
  feature_server_failed: { status: 500, msg: 'The feature server failed' },
  feature_server_unavailable: {
    status: 503,
    msg: 'The feature server cannot be reached. The command was not executed.',
  },
  feature_server_timeout: {
    status: 503,
    msg: 'The feature server did not respond. The command may have been executed.',
  },
  no_sms_provider: {
    status: 422,
    msg: 'outboundSMS - unable to locate sms provider to use to send message',
  },
  billing_not_configured: { status: 404, msg: 'Billing is not configured' },
  no_subscription: { status: 404, msg: 'The account has no paid subscription' },
  no_upcoming_invoice: { status: 404, msg: 'There is no next invoice' },
  stripe_customer_missing: { status: 400, msg: 'The account is not provisioned in Stripe' },
  already_subscribed: { status: 422, msg: 'The account already has a paid subscription. Change it instead.' },
  subscription_active: { status: 422, msg: 'The account has a subscription. Return to the free plan first.' },
  payment_outstanding: { status: 422, msg: 'The last payment failed. Configure a valid credit card first.' },
  account_deactivated: {
    status: 422,
    msg: "This account was deactivated by its operator and can't be upgraded.",
  },
  billing_in_progress: {
    status: 409,
    msg: 'Another change of this subscription is in progress. Try again shortly.',
    retryAfter: 2,
  },
  /** Replaced by Stripe's own message if it sends one. */
  card_declined: { status: 402, msg: 'Your card was declined.' },
  record_changed: { status: 412, msg: 'The record has been changed since this version was read' },
  no_versions: { status: 400, msg: 'This endpoint has no versions: send the request without If-Match' },
  data_deletion_running: { status: 409, msg: 'Another deletion of the call data of this account is running' },
  stripe_rejected: { status: 422, msg: 'Stripe rejected the request' },
  stripe_failed: { status: 502, msg: 'Stripe is temporarily unavailable. Try again.' },
  stripe_timeout: {
    status: 503,
    msg: 'Stripe did not respond. Patchbay is checking whether the change was made. Nothing is charged twice.',
  },
  webhook_signature_invalid: { status: 400, msg: 'The signature does not match the body' },
  signature_missing: {
    status: 401,
    msg: 'The Jambonz-Signature header is missing or malformed. Send t=<seconds since 1970>,v1=<HMAC-SHA256>.',
  },
  signature_expired: {
    status: 401,
    msg: "The time of the signature differs from the server's clock by more than 5 minutes.",
  },
  /** Also for unknown and inactive accounts, so that the response does not say which accounts exist. */
  signature_invalid: {
    status: 401,
    msg: "The signature is not that of this body with the account's webhook secret.",
  },
  unknown_path: { status: 404, msg: 'This path does not exist' },
  request_timed_out: { status: 408, msg: 'The request was not received completely in time' },
  too_large: { status: 413, msg: 'request entity too large' },
  range_not_satisfiable: { status: 416, msg: 'The requested range is empty' },
  unsupported_media_type: { status: 415, msg: 'The body must be JSON: send Content-Type: application/json' },
  /** Also for empty values, which name no encoding. */
  unsupported_encoding: { status: 415, msg: 'The body is compressed: send it without Content-Encoding' },
  headers_too_large: { status: 431, msg: 'The headers of the request are too large' },
  duplicate: { status: 422, msg: 'Duplicate entry' },
  too_many_requests: { status: 429, msg: 'Too many requests, please try again later.' },
  too_many_events: {
    status: 429,
    msg: 'Too many requests with events of this account. Send several events in one request, or try again later.',
    retryAfter: 60,
  },
  too_many_concurrent_requests: {
    status: 429,
    msg: 'Too many concurrent requests for this account. Try again shortly.',
    retryAfter: 1,
  },
  /** For the log only: the client has closed the connection and does not receive a response. */
  client_closed_request: { status: 499, msg: 'The client closed the connection' },
  server_busy: { status: 503, msg: 'The server is receiving too much data. Try again shortly.', retryAfter: 1 },
  internal: { status: 500, msg: 'Something went wrong, please try again' },
  unavailable: { status: 503, msg: 'A required service cannot be reached. Try again.' },
  insufficient_storage: { status: 507, msg: 'The database cannot store this: its disk is full or read-only.' },
  timed_out: { status: 503, msg: 'The request took too long. Try again.' },
  too_many_activation_attempts: {
    status: 429,
    msg: 'Too many activation codes were tried for this email address. Try again in an hour.',
  },
  outcome_unknown: {
    status: 503,
    msg: 'The server could not confirm whether the change was saved. Check the record before you send the request again.',
  },

  provider_creation_requires_admin: { status: 403, msg: 'only admin users can add a service provider' },
  provider_deletion_requires_admin: { status: 403, msg: 'only admin users can delete a service provider' },
  provider_update_forbidden: { status: 403, msg: 'insufficient permissions to update service provider' },
  provider_in_use: { status: 403, msg: 'insufficient privileges' },
  key_admin_scope_forbidden: {
    status: 400,
    msg: 'service provider token may not be used to create admin token',
  },
  key_other_provider: {
    status: 400,
    msg: 'a service provider token can only be used to create tokens for the same service provider',
  },
  key_other_account: {
    status: 400,
    msg: 'an account level token can only be used to create account level tokens for the same account',
  },
  key_expiry_exceeds_creator: {
    status: 400,
    msg: 'a key that expires may not create one that expires later',
    // The invalid member of the request.
    keys: { field: 'expires_at' },
  },
  key_admin_not_deletable: { status: 400, msg: 'a service provider user may not delete an admin token' },
  key_foreign_provider: {
    status: 400,
    msg: 'a service provider user may not delete api key from another service provider',
  },
  key_foreign_account: { status: 400, msg: 'a user may not delete a token associated with a different account' },
  address_unconfirmed: {
    status: 422,
    msg: 'The email address is not confirmed yet. Until then, it receives only the confirmation email.',
  },
  nothing_to_confirm: { status: 422, msg: 'There is nothing to confirm' },
  address_link_invalid: {
    status: 404,
    msg: 'This link is invalid or was replaced by a newer one. Open the complete link of the latest email.',
  },
  address_link_expired: {
    status: 422,
    msg: 'This link has expired. Ask the person who set up the alerts to send another email.',
  },
  address_link_used: { status: 422, msg: 'This link was already used. The address is confirmed.' },
  user_not_invitable: {
    status: 422,
    msg: 'Only active users with a password and a valid email address can be invited',
  },
  email_not_sent: { status: 503, msg: 'The email could not be sent. Try again.' },
  user_name_taken: { status: 422, msg: 'invalid username or email' },
  /** Has the message of the platform API, which does not distinguish the two. */
  user_email_taken: { status: 422, msg: 'invalid username or email' },
  too_many_bulk_changes: {
    status: 429,
    msg: '5 bulk changes of this tenant are not finished, which is the maximum. Try again when one is.',
    retryAfter: 10,
  },
  bulk_change_kept: {
    status: 422,
    msg: 'This bulk change cannot be undone: it is not an update, was undone before, or ended more than a minute ago.',
  },
  carrier_not_owned: { status: 422, msg: 'carrier belongs to a different user' },
  carrier_in_use: { status: 422, msg: 'cannot delete voip carrier with active phone numbers' },
  application_not_owned: { status: 422, msg: 'insufficient permissions' },
  cascade_rejected: { status: 422, msg: 'cannot delete with contents' },
  /** Has `blockers`, and a message that names their kinds. */
  account_in_use: { status: 422, msg: 'cannot delete account in use' },
  application_in_use: { status: 422, msg: 'cannot delete application with phone numbers' },
  view_name_taken: { status: 422, msg: 'You already have a view with this name', keys: { field: 'name' } },
  label_taken: { status: 422, msg: 'Label is already in use for another speech credential', keys: { field: 'label' } },
  unusable_speech_credential: {
    status: 422,
    msg: 'These speech credentials cannot be used. Check their settings and test them.',
  },
  vendor_failed: { status: 422, msg: 'The vendor could not be reached' },
  carriers_managed_by_operator: { status: 400, msg: 'insufficient privileges' },
  unknown_lcr: { status: 400, msg: 'unknown lcr_sid' },
  default_route_not_deletable: {
    status: 422,
    msg: 'the default route of an lcr can only be deleted with the lcr, or after another route becomes the default',
  },
  limit_exceeded: { status: 422, msg: 'exceeded limits', keys: { status: 'fail' } },
  last_admin: { status: 400, msg: 'The last active admin cannot be deactivated, deleted, or given another scope' },
  unusable_registration: { status: 422, msg: 'The subdomain cannot be registered' },
  root_domain_missing: { status: 422, msg: 'root_domain missing for service provider' },
  invite_code_invalid: { status: 422, msg: 'invalid invite code', keys: { field: 'inviteCode' } },
  password_wrong: { status: 403, msg: 'The password is wrong', keys: { field: 'password' } },
  email_taken: { status: 422, msg: 'account already exists for this email', keys: { field: 'email' } },
  sign_in_account_taken: { status: 422, msg: 'account already exists for this oauth user/provider' },
  user_without_account: { status: 422, msg: 'user exists with no associated account' },
  registration_not_allowed: { status: 404, msg: 'registering a new account not allowed from the sign-in page' },
  /** Replaced by the sign-in provider's own message. */
  sign_in_provider_rejected: { status: 403, msg: 'The sign-in provider rejected the request' },
  link_ticket_expired: {
    status: 403,
    msg: 'The time to link the accounts has ended. Sign in with the provider again.',
  },
  no_sbc_addresses: { status: 422, msg: 'no SBC addresses provisioned in the database!' },
  activation_code_invalid: { status: 400, msg: 'invalid user or activation code' },
  user_not_found: { status: 400, msg: 'Invalid request: user_sid does not exist' },
  invalid: { status: 400, msg: 'Bad request' },
} as const satisfies Record<string, ErrorDefinition>

export type ApiErrorCode = keyof typeof apiErrors

/** The body of every error response: JSON with a readable `msg`. */
export interface ErrorBody {
  msg: string
  code?: string
  /** The invalid member of the body or query, if there is one. */
  field?: string
  error?: string
  status?: string
  message?: string
  /**
   * Token that, together with the password, links a sign-in provider's account to the user with the same email address.
   */
  link_ticket?: string
  /** The current record, if the request required another version of it (`If-Match`). */
  record?: unknown
  /** The records that prevent the deletion of an account, by kind. */
  blockers?: Readonly<Record<string, Uses>>
}

/** Error of an API request. The server's error handler converts it into a response. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly status: number
  readonly retryAfter: number | undefined
  readonly body: ErrorBody

  /** @param status overrides the catalog's status, to forward the status of an upstream server */
  constructor(code: ApiErrorCode, more: Partial<ErrorBody> = {}, status?: number) {
    const definition: ErrorDefinition = apiErrors[code]
    super(more.msg ?? definition.msg)
    this.code = code
    this.status = status ?? definition.status
    this.retryAfter = definition.retryAfter
    this.body = { msg: definition.msg, code, ...definition.keys, ...more }
  }
}

/**
 * Throws an error of the catalog.
 * @param more members that replace or extend those of the catalog, such as `msg` and `field`
 * @throws ApiError always
 */
export const throwApiError = (code: ApiErrorCode, more?: Partial<ErrorBody>): never => {
  throw new ApiError(code, more)
}

/**
 * Throws a 400 error for an invalid value.
 * @param msg names the value and what is wrong with it
 * @param field name of the member, at which the console shows the message
 * @throws ApiError `invalid`
 */
export const throwInvalid = (msg: string, field?: string): never =>
  throwApiError('invalid', { msg, ...(field ? { field } : {}) })

/** Returns the body for an error response that is sent without throwing. */
export const toErrorBody = (code: ApiErrorCode): ErrorBody => new ApiError(code).body
