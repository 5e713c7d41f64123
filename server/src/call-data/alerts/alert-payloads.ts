import type { Alert } from '@patchbay/contract/alerts'
import { findAlertLink, findAlertsLink } from '@patchbay/rules/alerts/alert-links'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import { isDigest, listValues, type Message } from './alert-mail.ts'

/** JSON bodies of requests that report alerts. */

/** Maximum characters of a text in Slack messages and PagerDuty summaries, far below the limits of both services. */
const maxCharacters = 1000

/** Maximum characters of a truncated text after escaping, which turns `&` into five characters. */
const maxEscapedCharacters = 5 * maxCharacters

/** Maximum alerts listed in one message. Further alerts are only counted. */
const maxListed = 20

/** The body that webhooks receive: one alert, or a digest. */
export const formatWebhookBody = (message: Message): object =>
  isDigest(message) ? { ...message } : { alert: message.alerts[0] }

const truncate = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text)

const shorten = (alert: Alert) => ({
  ...alert,
  message: truncate(alert.message),
  detail: alert.detail === null ? null : truncate(alert.detail),
})

/** Escapes the characters that Slack treats as markup (https://api.slack.com/reference/surfaces/formatting). */
const escapeSlack = (text: string): string =>
  truncate(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const formatDetails = (alert: Alert): string =>
  listValues(alert)
    .map(({ label, value }) => `${label}: ${value}`)
    .join(', ')

/** Maximum characters of the listed alerts. Slack accepts 40,000 characters in a message. */
const maxSlackCharacters = 30_000

/** The body for an incoming webhook of Slack, which Mattermost and Rocket.Chat accept as well. */
export const formatSlackBody = (message: Message, consoleUrl: string | null): object => {
  const { alerts, count } = message
  const lines: string[] = []
  let characters = 0
  for (const alert of alerts.slice(0, maxListed)) {
    if (characters > maxSlackCharacters - 2 * maxEscapedCharacters) break
    const type = escapeSlack(formatAlertType(alert.alert_type))
    const title = consoleUrl === null ? type : `<${consoleUrl}${findAlertLink(alert).path}|${type}>`
    const line = `*${title}*: ${escapeSlack(alert.message)}\n${escapeSlack(formatDetails(alert))}`
    characters += line.length
    lines.push(line)
  }
  const omitted = count - lines.length
  const text = [
    ...(isDigest(message) ? [`*${count} alerts*`] : []),
    ...lines,
    ...(omitted > 0 ? [`… and ${omitted} more`] : []),
    ...(consoleUrl === null || !isDigest(message) ? [] : [`<${consoleUrl}${findAlertsLink(alerts).path}|Show alerts>`]),
  ].join('\n')
  return { text }
}

/** Types of alerts that report the end of a failure, with the type that reported its beginning. */
const failureTypes: ReadonlyMap<string, string> = new Map([
  ['gateway-recovered', 'gateway-failing'],
  ['registration-recovered', 'registration-lost'],
  ['conversation-limit-recovered', 'conversation-limit-exceeded'],
])
const endingTypes = new Set(failureTypes.values())

/** Returns whether an alert reports the end of a failure. */
export const isRecovery = ({ alert_type }: Pick<Alert, 'alert_type'>): boolean => failureTypes.has(alert_type)

/** Returns the gateway, registration, or measure of an alert whose end is reported, because each ends on its own. */
const getEndingObject = (alert: Alert, type: string): string => {
  const object = endingTypes.has(type)
    ? (alert['sip_gateway_sid'] ?? alert['voip_carrier_sid'] ?? alert['measure'])
    : ''
  return typeof object === 'string' && object !== '' ? `:${object}` : ''
}

const toDedupKey = (owner: string | null, alert: Alert): string => {
  const type = failureTypes.get(alert.alert_type) ?? alert.alert_type
  return `patchbay:${owner}:${type}${getEndingObject(alert, type)}`
}

/**
 * The event for PagerDuty's Events API v2 (https://developer.pagerduty.com/docs/send-alert-event). Alerts of the same
 * type and tenant have the same key, so that they become one incident until it is resolved. A recovery resolves the
 * incident of its failure.
 */
export const formatPagerDutyBody = (message: Message, routing_key: string, consoleUrl: string | null): object => {
  const { alerts, count } = message
  const [alert] = alerts
  const owner = alert?.account_sid ?? alert?.service_provider_sid ?? null
  const single = alert === undefined || isDigest(message) ? undefined : alert
  const dedup_key = single === undefined ? `patchbay:${owner}:digest` : toDedupKey(owner, single)
  if (single !== undefined && isRecovery(single)) return { routing_key, event_action: 'resolve', dedup_key }
  const summary =
    single === undefined
      ? `${count} alerts, first: ${alert?.message ?? ''}`
      : `${formatAlertType(single.alert_type)}: ${single.message}`
  return {
    routing_key,
    event_action: 'trigger',
    dedup_key,
    client: 'Patchbay',
    ...(consoleUrl === null
      ? {}
      : { client_url: consoleUrl + (single === undefined ? findAlertsLink(alerts) : findAlertLink(single)).path }),
    payload: {
      summary: truncate(summary),
      source: owner ?? 'Patchbay',
      severity: count === alerts.length && alerts.every(isRecovery) ? 'info' : 'error',
      ...(alert === undefined ? {} : { timestamp: alert.time, class: alert.alert_type }),
      // PagerDuty accepts 512 kB.
      custom_details: { count, alerts: alerts.slice(0, maxListed).map(shorten) },
    },
  }
}
