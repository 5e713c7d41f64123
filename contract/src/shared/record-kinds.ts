/**
 * Kinds of records, with their labels: in access rules (an SID of a kind is called `<kind>_sid`), in the audit trail, and
 * in the API documentation.
 */
export const recordKinds = {
  account: 'Account',
  account_limit: 'Account limit',
  activation_code: 'Activation code',
  alert_acknowledgment: 'Alert acknowledgment',
  alert_destination: 'Alert destination',
  api_key: 'API key',
  application: 'Application',
  call_data: 'Call data',
  call_review: 'Call review',
  call_share: 'Shared call',
  client: 'SIP client',
  confirmation_link: 'Confirmation link',
  conversation_limits: 'Conversation limits',
  google_custom_voice: 'Custom voice',
  invite_code: 'Invite code',
  lcr: 'Outbound routing',
  lcr_carrier_set_entry: 'Carrier of a route',
  lcr_route: 'Outbound route',
  live_call: 'Live call',
  masking_rules: 'Masking rules',
  ms_teams_tenant: 'MS Teams tenant',
  password_settings: 'Password policy',
  phone_number: 'Phone number',
  plan: 'Plan',
  provider_limit: 'Provider limit',
  recording: 'Recording',
  request: 'Request',
  saved_view: 'Saved view',
  review_model: 'Review model',
  review_settings: 'Review settings',
  sbc_address: 'SBC address',
  speech_credential: 'Speech service',
  sip_gateway: 'SIP gateway',
  smpp_address: 'SMPP address',
  smpp_gateway: 'SMPP gateway',
  reset_link: 'Reset link',
  sign_in_link: 'Sign-in link',
  service_provider: 'Service provider',
  session: 'Session',
  system_information: 'System information',
  text_message: 'Text message',
  tts_cache: 'TTS cache',
  user: 'User',
  voip_carrier: 'Carrier',
  webhook: 'Webhook',
} as const

export type RecordKind = keyof typeof recordKinds

/** Returns a label inside a sentence: `SIP client`, `phone number`. */
export const toNoun = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)

/** Returns the label of a kind inside a sentence. */
export const recordNoun = (kind: RecordKind): string => toNoun(recordKinds[kind])

/** Returns whether this version knows a kind of record. A newer server may name others. */
export const isRecordKind = (kind: string): kind is RecordKind => Object.hasOwn(recordKinds, kind)

/** Returns the label of a kind inside a sentence, or the name of a kind that this version does not know. */
export const kindNoun = (kind: string): string => (isRecordKind(kind) ? recordNoun(kind) : kind)
