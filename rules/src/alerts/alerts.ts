/**
 * Labels of the stored alert types (docs/reference/platform-api/call-records.md#alert-types). Newer platform components
 * write further types, which are displayed unchanged.
 */
const labels = {
  'webhook-failure': 'Webhook failed',
  'webhook-connection-failure': 'Webhook unreachable',
  'webhook-url-notfound': 'Webhook not found',
  'webhook-auth-failure': 'Webhook rejected the credentials',
  'invalid-app-payload': 'Invalid webhook response',
  'no-tts': 'No text-to-speech',
  'no-stt': 'No speech-to-text',
  'no-llm': 'No language model',
  'no-krisp': 'No noise cancellation',
  'tts-failure': 'Text-to-speech failed',
  'tts-streaming-connection-failure': 'Streaming speech unreachable',
  'stt-failure': 'Speech-to-text failed',
  'llm-failure': 'Language model failed',
  'no-carrier': 'No carrier',
  'gateway-failing': 'SIP gateway failing',
  'gateway-recovered': 'SIP gateway recovered',
  'registration-lost': 'Carrier registration lost',
  'registration-recovered': 'Carrier registration recovered',
  'conversation-limit-exceeded': 'Conversation limit exceeded',
  'conversation-limit-recovered': 'Conversation limit recovered',
  'calling-number-blocked': 'Calling number blocked',
  'account-call-limit': 'Call limit of the account reached',
  'account-device-limit': 'Device limit of the account reached',
  'account-quota-warning': 'Account close to a quota',
  'account-quota-reached': 'Account quota used up',
  'recording-upload-failure': 'Recording not uploaded',
  'account-api-limit': 'Request limit of the account reached',
  'service-provider-call-limit': 'Call limit of the provider reached',
  'service-provider-device-limit': 'Device limit of the provider reached',
  'service-provider-api-limit': 'Request limit of the provider reached',
  'account is inactive or suspended': 'Account inactive or suspended',
  'play-url-notfound': 'Audio file not found',
  'error-updating-call': 'Call not updated',
  'bot-action-delay-giveup': 'Bot took too long to act',
  'alert-from-application': 'From the application',
  'wallet-low-balance': 'Balance low',
  'wallet-depleted': 'Balance used up',
  'wallet-recharge-failed': 'Balance not recharged',
  'eval-post-failure': 'Evaluation not delivered',
} as const

export const alertTypes: readonly string[] = Object.keys(labels)

/** Returns the label of an alert type, or the type itself if it is unknown. */
export const formatAlertType = (alert_type: string): string =>
  Object.hasOwn(labels, alert_type) ? labels[alert_type as keyof typeof labels] : alert_type
