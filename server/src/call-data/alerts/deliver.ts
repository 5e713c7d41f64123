import type { Alert } from '@patchbay/contract/alerts'
import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'
import { formatAlertType } from '@patchbay/contract/shared/alerts'
import { alertErrorLength } from '../../database/patchbay-schema.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { Letter, Mail } from '../../adapters/mail/mail.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import { signPayload } from '../../adapters/outbound-http/signature.ts'
import type { StopLink } from './unsubscribe-links.ts'

/** One message to a destination, of one alert or of many; and what came back. */

/** Where it goes, and what signs it. */
export interface Address {
  kind: DestinationKind
  target: string
  /** a webhook's is signed with it */
  secret: string
  /** a mail tells of it: where its reader says that no more are wanted */
  stop: StopLink
}

export interface Message {
  /** as many as fit */
  alerts: readonly Alert[]
  /** of all that it tells of */
  count: number
}

export interface Delivered {
  delivered: boolean
  status: number | null
  /** the beginning of what a webhook said */
  text: string | null
  error: string | null
}

/** As long as one takes; more than the ways to send have themselves. */
export const maxSeconds = { webhook: 10, email: 30 }
const maxBytes = 2 ** 16
const shownCharacters = 2000

const isDigest = ({ alerts, count }: Message): boolean => count > 1 || alerts.length !== 1

const bodyOf = (message: Message): string => JSON.stringify(isDigest(message) ? message : { alert: message.alerts[0] })

const linesOf = ({ time, alert_type, message, detail, vendor, target_sid, account_sid }: Alert): string =>
  [
    `${formatAlertType(alert_type)}: ${message}`,
    `Time: ${time}`,
    ...(detail ? [`Detail: ${detail}`] : []),
    ...(vendor ? [`Vendor: ${vendor}`] : []),
    ...(target_sid ? [`Concerns: ${target_sid}`] : []),
    ...(account_sid ? [`Account: ${account_sid}`] : []),
  ].join('\n')

const stopLine = ({ url, isWhole }: StopLink): string =>
  `-- \nTo get no more of these mails, open ${isWhole ? '' : 'this page of the Patchbay that sent them: '}${url}`

const letterOf = ({ target: to, stop }: Address, message: Message): Letter => {
  const { alerts, count } = message
  const [first] = alerts
  const subject = isDigest(message) ? `${count} alerts` : `Alert: ${formatAlertType(first?.alert_type ?? '')}`
  const more = count - alerts.length
  const left = more > 0 ? [`${more} more ${more === 1 ? 'alert is' : 'alerts are'} not in this mail.`] : []
  return {
    to,
    subject: subject.replaceAll(/\p{Cc}+/gu, ' '),
    text: `${[...alerts.map(linesOf), ...left, stopLine(stop)].join('\n\n')}\n`,
    ...(stop.isWhole ? { unsubscribe: stop.url } : {}),
  }
}

const refusalOf = (status: number, statusText: string): string =>
  status >= 300 && status < 400
    ? `Redirects are not followed: the webhook answered ${status}`
    : `The webhook answered ${`${status} ${statusText}`.trim()}`

const post = async (outgoing: Outgoing, { target, secret }: Address, message: Message): Promise<Delivered> => {
  const body = bodyOf(message)
  const limit = AbortSignal.timeout(maxSeconds.webhook * 1000)
  try {
    const answer = await outgoing.send(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Jambonz-Signature': signPayload(body, secret) },
      body,
      max: maxBytes,
      stop: limit,
    })
    const { status, statusText } = answer
    const delivered = status >= 200 && status < 300
    const text = answer.body.toString('utf8').slice(0, shownCharacters)
    return { delivered, status, text, error: delivered ? null : refusalOf(status, statusText) }
  } catch (error) {
    const reason = describeError(limit.aborted ? limit.reason : error, 'webhook')
    return { delivered: false, status: null, text: null, error: reason.slice(0, alertErrorLength) }
  }
}

const mailTo = async (mail: Mail, address: Address, message: Message): Promise<Delivered> => {
  const told = { status: null, text: null }
  try {
    const late = () => new Error('The mail server did not take the mail in time')
    await withTimeout(mail.send(letterOf(address, message)), maxSeconds.email, late)
    return { ...told, delivered: true, error: null }
  } catch (error) {
    return { ...told, delivered: false, error: describeError(error, 'mail server').slice(0, alertErrorLength) }
  }
}

/** What goes wrong far away is its answer, not a failure of ours. */
export const deliver = (
  { outgoing, mail }: { outgoing: Outgoing; mail: Mail },
  address: Address,
  message: Message,
): Promise<Delivered> =>
  address.kind === 'webhook' ? post(outgoing, address, message) : mailTo(mail, address, message)
