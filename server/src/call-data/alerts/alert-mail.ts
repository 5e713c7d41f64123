import type { Alert } from '@patchbay/contract/alerts'
import { findAlertLink, findAlertsLink } from '@patchbay/rules/alerts/alert-links'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import type { LabeledValue, MailMessage } from '../../adapters/mail/mail.ts'

/** Emails that report alerts. */

/** Alerts for one destination. */
export interface Message {
  /** The alerts that fit into the message. */
  alerts: readonly Alert[]
  /** Number of alerts that the message reports, including those that do not fit. */
  count: number
}

/** Returns whether a message reports any number of alerts but one. */
export const isDigest = ({ alerts, count }: Message): boolean => count > 1 || alerts.length !== 1

/** Returns the members of an alert that help to find its cause, with their labels. */
export const listValues = ({ time, detail, vendor, target_sid, account_sid }: Alert): LabeledValue[] =>
  [
    { label: 'Time', value: time },
    { label: 'Detail', value: detail },
    { label: 'Vendor', value: vendor },
    { label: 'Concerns', value: target_sid },
    { label: 'Account', value: account_sid },
  ].flatMap(({ label, value }) => (value ? [{ label, value }] : []))

export const createAlertMail = (
  { target: to, unsubscribePath }: { target: string; unsubscribePath: string },
  message: Message,
): MailMessage => {
  const { alerts, count } = message
  const omittedCount = count - alerts.length
  const footer = {
    reason: 'You receive this email because your address is confirmed as a destination of alerts.',
    unsubscribePath,
  }
  const [alert] = alerts
  if (alert !== undefined && !isDigest(message))
    return {
      to,
      subject: `Alert: ${formatAlertType(alert.alert_type)}`,
      summary: alert.message,
      sections: [{ values: listValues(alert) }],
      action: findAlertLink(alert),
      ...footer,
    }
  return {
    to,
    subject: `${count} alerts`,
    summary: `${count} alerts occurred since the previous email.`,
    sections: alerts.map((each) => ({
      title: `${formatAlertType(each.alert_type)}: ${each.message}`,
      values: listValues(each),
      link: findAlertLink(each),
    })),
    action: findAlertsLink(alerts),
    notes:
      omittedCount > 0
        ? [`${omittedCount} more ${omittedCount === 1 ? 'alert is' : 'alerts are'} not in this email.`]
        : [],
    ...footer,
  }
}
