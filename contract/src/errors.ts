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
  two_tokens: { status: 400, msg: 'Send the access token in one place only' },
  malformed_authorization: { status: 400, msg: 'The Authorization header must be: Bearer <token>' },
  forbidden: { status: 403, msg: 'Forbidden' },
  sign_in_refused: { status: 403, msg: 'Forbidden' },
  locked_out: { status: 403, msg: 'Maximum login attempts reached. Please try again later or reset your password.' },
  insufficient_permissions: { status: 403, msg: 'insufficient permissions' },
  insufficient_privileges: { status: 403, msg: 'insufficient privileges', keys: failed('insufficient privileges') },
  view_only: { status: 403, msg: 'User has view-only access' },
  password_change_required: { status: 403, msg: 'You must change your password first' },
  account_suspended: { status: 403, msg: 'The account is suspended: upgrade it, or have it pay, to go on' },
  email_invalid: {
    status: 400,
    msg: 'invalid or missing email',
    keys: { error: 'invalid or missing email', field: 'email' },
  },
  not_found: { status: 404, msg: 'Not Found' },
  call_not_found: { status: 404, msg: 'Call not found' },
  no_logs_here: { status: 400, msg: 'Logs are only available in AWS environments' },
  logs_of_account: {
    status: 400,
    msg: 'account_sid is required: ask for /Accounts/{account_sid}/RecentCalls/{call_sid}/logs',
  },
  traces_away: { status: 404, msg: 'Jaeger cannot be reached, so there is no trace to show' },
  captures_away: { status: 404, msg: 'Homer does not answer what is asked of it, so there is no SIP to show' },
  homer_lets_nobody_in: { status: 400, msg: 'Homer does not let Patchbay in, so there is no SIP to show' },
  recordings_away: { status: 404, msg: 'The storage of the recordings does not answer, so there is none to give' },
  no_feature_server: { status: 480, msg: 'no available feature servers at this time' },
  /** Replaced by the feature server's own message if it sends one. */
  feature_server_refused: { status: 422, msg: 'The feature server refused it' },
  feature_server_failed: { status: 500, msg: 'The feature server failed' },
  feature_server_away: { status: 503, msg: 'The feature server cannot be reached, so nothing was done' },
  feature_server_silent: {
    status: 503,
    msg: 'The feature server gave no answer; what was asked of it may have been done',
  },
  billing_off: { status: 404, msg: 'There is no billing here' },
  no_subscription: { status: 404, msg: 'The account has no paid subscription' },
  no_upcoming_invoice: { status: 404, msg: 'There is no next invoice' },
  not_at_stripe: { status: 400, msg: 'The account is not provisioned in Stripe' },
  already_subscribed: { status: 422, msg: 'The account has a paid subscription already: change that one' },
  still_subscribed: { status: 422, msg: 'The account has a subscription: return to the free plan first' },
  payment_outstanding: { status: 422, msg: 'The last payment failed: configure a valid credit card first' },
  account_switched_off: {
    status: 422,
    msg: 'The account has been switched off by its operator, so nothing is sold to it',
  },
  billing_in_progress: {
    status: 409,
    msg: 'Another change of this subscription is being processed, please try again in a moment',
    retryAfter: 2,
  },
  /** Replaced by Stripe's own message if it sends one. */
  card_refused: { status: 402, msg: 'Your card was declined.' },
  stripe_refused: { status: 422, msg: 'Stripe refused it' },
  stripe_failed: { status: 502, msg: 'Stripe cannot do this at the moment, please try again' },
  stripe_silent: {
    status: 503,
    msg: 'Stripe gave no answer. What was asked may have been done: it is being found out, nothing is charged twice',
  },
  bad_signature: { status: 400, msg: 'The signature is not one of Stripe for this body' },
  no_such_path: { status: 404, msg: 'There is no such path' },
  request_timed_out: { status: 408, msg: 'The request did not arrive in time' },
  too_large: { status: 413, msg: 'request entity too large' },
  range_not_satisfiable: { status: 416, msg: 'There is nothing in that range' },
  unsupported_media_type: { status: 415, msg: 'The body must be JSON' },
  headers_too_large: { status: 431, msg: 'The headers of the request are too large' },
  duplicate: { status: 422, msg: 'Duplicate entry' },
  too_many_requests: { status: 429, msg: 'Too many requests, please try again later.' },
  too_much_at_once: {
    status: 429,
    msg: 'Too much of yours is at work already, please try again in a moment',
    retryAfter: 1,
  },
  /** For the log only: the client has closed the connection and does not receive a response. */
  client_closed_request: { status: 499, msg: 'The caller has gone' },
  internal: { status: 500, msg: 'Something went wrong, please try again' },
  unavailable: { status: 503, msg: 'A service this needs cannot be reached, please try again' },
  no_room: { status: 507, msg: 'This cannot be stored, the disk of the database is full or takes no writes' },
  timed_out: { status: 503, msg: 'The request took too long, please try again' },
  too_many_codes: {
    status: 429,
    msg: 'Too many activation codes were tried for this email address. Try again in an hour.',
  },
  outcome_unknown: {
    status: 503,
    msg: 'The server could not confirm whether the change was saved. Check the record before you send the request again.',
  },

  only_admin_adds_provider: { status: 403, msg: 'only admin users can add a service provider' },
  only_admin_deletes_provider: { status: 403, msg: 'only admin users can delete a service provider' },
  may_not_update_provider: { status: 403, msg: 'insufficient permissions to update service provider' },
  provider_in_use: { status: 403, msg: 'insufficient privileges' },
  key_provider_makes_admin: {
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
  key_outlives_its_maker: {
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
    msg: 'The e-mail address waits for its confirmation: until then it gets nothing but the mail that asks for it',
  },
  needs_no_confirmation: { status: 422, msg: 'There is nothing to confirm' },
  address_link_unknown: {
    status: 404,
    msg: 'This link is not one of ours, or another has taken its place: open that of the latest mail, and all of it',
  },
  address_link_old: { status: 422, msg: 'This link is too old: whoever wants the alerts sent can have another mailed' },
  address_link_used: { status: 422, msg: 'This link has been used: the address is confirmed' },
  mail_not_taken: { status: 503, msg: 'The mail could not be handed over, please try again' },
  user_name_taken: { status: 422, msg: 'invalid username or email' },
  carrier_of_another: { status: 422, msg: 'carrier belongs to a different user' },
  carrier_in_use: { status: 422, msg: 'cannot delete voip carrier with active phone numbers' },
  application_of_another: { status: 422, msg: 'insufficient permissions' },
  application_in_use: { status: 422, msg: 'cannot delete application with phone numbers' },
  label_taken: { status: 422, msg: 'Label is already in use for another speech credential', keys: { field: 'label' } },
  unusable_speech_credential: { status: 422, msg: 'These speech credentials cannot be used' },
  vendor_failed: { status: 422, msg: 'The vendor could not be asked' },
  carriers_are_the_operators: { status: 400, msg: 'insufficient privileges' },
  unknown_lcr: { status: 400, msg: 'unknown lcr_sid' },
  default_route_stays: {
    status: 422,
    msg: 'the default route of an lcr goes only with the lcr, or once another is the default',
  },
  create_limit: { status: 422, msg: 'exceeded limits', keys: { status: 'fail' } },
  last_admin: { status: 400, msg: 'The last active admin must remain one' },
  unusable_registration: { status: 422, msg: 'This cannot be registered' },
  no_root_domain: { status: 422, msg: 'root_domain missing for service provider' },
  invite_code_refused: { status: 422, msg: 'invalid invite code', keys: { field: 'inviteCode' } },
  password_wrong: { status: 403, msg: 'The password is wrong', keys: { field: 'password' } },
  email_taken: { status: 422, msg: 'account already exists for this email', keys: { field: 'email' } },
  sign_in_taken: { status: 422, msg: 'account already exists for this oauth user/provider' },
  no_account_of_user: { status: 422, msg: 'user exists with no associated account' },
  no_account_yet: { status: 404, msg: 'registering a new account not allowed from the sign-in page' },
  /** Replaced by the sign-in provider's own message. */
  provider_refused: { status: 403, msg: 'The sign-in provider refused' },
  link_offer_over: { status: 403, msg: 'This offer to link has ended: begin again with the sign-in provider' },
  no_sbc_addresses: { status: 422, msg: 'no SBC addresses provisioned in the database!' },
  wrong_code: { status: 400, msg: 'invalid user or activation code' },
  user_unknown: { status: 400, msg: 'Invalid request: user_sid does not exist' },
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
