/**
 * Labels of the stored alert types (docs/reference/platform-api/call-records.md#alert-types). Newer platform components
 * write further types, which are displayed unchanged.
 */
const labels = {
  'webhook-failure': 'Webhook failed',
  'webhook-connection-failure': 'Webhook not reached',
  'webhook-url-notfound': 'Webhook not found',
  'webhook-auth-failure': 'Webhook refused the sign-in',
  'invalid-app-payload': 'Webhook answered nonsense',
  'no-tts': 'No text-to-speech',
  'no-stt': 'No speech-to-text',
  'no-llm': 'No language model',
  'no-krisp': 'No noise cancellation',
  'tts-failure': 'Text-to-speech failed',
  'tts-streaming-connection-failure': 'Streaming speech not reached',
  'stt-failure': 'Speech-to-text failed',
  'llm-failure': 'Language model failed',
  'no-carrier': 'No carrier',
  'account-call-limit': 'Calls of the account at the limit',
  'account-device-limit': 'Devices of the account at the limit',
  'account-quota-warning': 'Account near a quota',
  'account-quota-reached': 'Account quota used up',
  'account-api-limit': 'Requests of the account at the limit',
  'service-provider-call-limit': 'Calls of the provider at the limit',
  'service-provider-device-limit': 'Devices of the provider at the limit',
  'service-provider-api-limit': 'Requests of the provider at the limit',
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
