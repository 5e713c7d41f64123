import type { Alert } from '@patchbay/contract/alerts'
import type { Call } from '@patchbay/contract/recent-calls'
import { formatAlertType } from '../alerts/alerts.ts'
import { type CallEvidence, type CallSide, getEnd, isOutbound, strengths } from './evidence.ts'

/** Rules for alerts that concern a call. Pure. */

interface Meaning {
  side: CallSide
  next: string
  /** The calls that cannot be answered because of it. */
  prevents: 'inbound' | 'outbound' | 'any' | 'none'
}

const webhook = (next: string): Meaning => ({ side: 'application', next, prevents: 'inbound' })
const speech = (next: string): Meaning => ({ side: 'speech-vendor', next, prevents: 'inbound' })
const model = (next: string): Meaning => ({ side: 'model-vendor', next, prevents: 'inbound' })
const limit = (next: string): Meaning => ({ side: 'platform', next, prevents: 'any' })

const addCredentials = 'Add a speech service of this vendor, or choose another one in the application.'
const testSpeech = 'Test the speech service, and check your quota at the vendor.'

/** The meaning of each alert type that concerns calls (docs/reference/platform-api/call-records.md#alert-types). */
const meanings: Readonly<Record<string, Meaning>> = {
  'webhook-failure': webhook('Test the webhook of the application, and check the logs of its server.'),
  'webhook-connection-failure': webhook(
    'Check that the feature servers can reach the URL: its DNS name, certificate, and firewall.',
  ),
  'webhook-url-notfound': webhook('Correct the URL of the webhook in the application.'),
  'webhook-auth-failure': webhook('Correct the username and the password of the webhook in the application.'),
  'invalid-app-payload': webhook('Respond with a JSON array of verbs. The webhook test shows the first invalid verb.'),
  'play-url-notfound': { side: 'application', next: 'Correct the URL in the play verb.', prevents: 'none' },
  'error-updating-call': {
    side: 'application',
    next: 'Check the command that your server sent for this call.',
    prevents: 'none',
  },
  'bot-action-delay-giveup': {
    side: 'application',
    next: 'Check how long your bot takes to respond.',
    prevents: 'none',
  },
  'alert-from-application': { side: 'application', next: 'Check what your application reports.', prevents: 'none' },
  'no-tts': speech(addCredentials),
  'no-stt': speech(addCredentials),
  'tts-failure': speech(testSpeech),
  'stt-failure': speech(testSpeech),
  'tts-streaming-connection-failure': speech(testSpeech),
  'no-llm': model('Add the credentials of the language model.'),
  'llm-failure': model('Check the credentials of the language model, and your quota at the vendor.'),
  'no-carrier': {
    side: 'platform',
    next: 'Add a route for this number to the outbound routing, or a carrier to the account.',
    prevents: 'outbound',
  },
  'account-call-limit': limit('Raise the call limit of the account, or wait until other calls end.'),
  'account-device-limit': limit('Raise the device limit of the account.'),
  'service-provider-call-limit': limit('Raise the call limit of the service provider, or wait until other calls end.'),
  'service-provider-device-limit': limit('Raise the device limit of the service provider.'),
  'account is inactive or suspended': limit('Activate the account.'),
  'wallet-depleted': limit('Recharge the balance of the account.'),
}

/** Returns whether an alert says that the webhook of an application failed, so that an inbound call cannot be answered. */
export const isWebhookFailure = (alert_type: string): boolean =>
  meanings[alert_type]?.side === 'application' && meanings[alert_type].prevents === 'inbound'

/** Returns whether an alert about an inbound call names a cause for which it cannot be answered. */
export const isInboundFailure = (alert_type: string): boolean =>
  ['inbound', 'any'].includes(meanings[alert_type]?.prevents ?? 'none')

/** Alerts are written in batches up to 20 s after their cause, so later ones can concern the call too. */
export const alertDelayMs = 30_000

/** Returns whether an alert without a call can concern this one: a known cause, raised while the call was set up. */
const canConcern = (call: Call, alert: Alert): boolean => {
  const at = Date.parse(alert.time)
  return alert.target_sid === null && at >= Date.parse(call.attempted_at) && at <= getEnd(call) + alertDelayMs
}

const prevented = (call: Call, { prevents }: Meaning): boolean =>
  prevents === 'any' || prevents === (isOutbound(call) ? 'outbound' : 'inbound')

const toEvidence = (call: Call, alert: Alert, count: number): CallEvidence[] => {
  const { alert_type, message, target_sid } = alert
  const meaning = meanings[alert_type]
  const isOwn = target_sid !== null && target_sid === call.call_sid
  const isCause = meaning !== undefined && prevented(call, meaning)
  if (!isOwn && !(isCause && canConcern(call, alert))) return []
  return [
    {
      source: 'alerts',
      side: meaning?.side ?? 'unknown',
      title: `${formatAlertType(alert_type)}${count > 1 ? ` (${count} times)` : ''}.`,
      detail: message,
      next: meaning?.next,
      isProblem: isOwn && alert_type !== 'alert-from-application',
      strength: !isCause ? strengths.context : isOwn ? strengths.callAlert : strengths.accountAlert,
      alert_type,
    },
  ]
}

/** Returns the evidence of alerts that name the call, or that can concern it because of their time. */
export const explainAlerts = (call: Call, alerts: readonly Alert[]): CallEvidence[] => {
  const groups = new Map<string, Alert[]>()
  for (const alert of alerts.toReversed()) {
    const key = [alert.alert_type, alert.message, alert.target_sid].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), alert])
  }
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).flatMap((one) => toEvidence(call, one, group.length)),
  )
}
