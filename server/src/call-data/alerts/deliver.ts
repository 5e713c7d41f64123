import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'
import { alertErrorLength } from '../../database/patchbay-schema.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { type Mail, MailRejectedError } from '../../adapters/mail/mail.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import { signPayload } from '../../adapters/outbound-http/signature.ts'
import { createAlertMail, isDigest, type Message } from './alert-mail.ts'

/** Delivery of a message with one or more alerts to a destination, and its result. */

export interface Address {
  kind: DestinationKind
  target: string
  /** Key that signs webhook requests. */
  secret: string
  /** Path of the console page for unsubscribing, linked in each email. */
  unsubscribePath: string
}

export interface Delivered {
  delivered: boolean
  /** True if a retry cannot succeed. */
  final?: true
  status: number | null
  /** Beginning of the webhook's response body. */
  text: string | null
  error: string | null
}

/** Time limit per delivery. Longer than the timeouts of the outbound HTTP client and the mail client. */
export const maxSeconds = { webhook: 10, email: 30 }
const maxBytes = 2 ** 16
const maxResponseCharacters = 2000

const formatWebhookBody = (message: Message): string =>
  JSON.stringify(isDigest(message) ? message : { alert: message.alerts[0] })

const describeErrorStatus = (status: number, statusText: string): string =>
  status >= 300 && status < 400
    ? `Redirects are not followed: the webhook responded with ${status}`
    : `The webhook responded with ${`${status} ${statusText}`.trim()}`

const postToWebhook = async (outgoing: Outgoing, { target, secret }: Address, message: Message): Promise<Delivered> => {
  const body = formatWebhookBody(message)
  const timeoutSignal = AbortSignal.timeout(maxSeconds.webhook * 1000)
  try {
    const response = await outgoing.send(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Jambonz-Signature': signPayload(body, secret) },
      body,
      max: maxBytes,
      stop: timeoutSignal,
    })
    const { status, statusText } = response
    const delivered = status >= 200 && status < 300
    const text = response.body.toString('utf8').slice(0, maxResponseCharacters)
    return { delivered, status, text, error: delivered ? null : describeErrorStatus(status, statusText) }
  } catch (error) {
    const reason = describeError(timeoutSignal.aborted ? timeoutSignal.reason : error, 'webhook')
    return { delivered: false, status: null, text: null, error: reason.slice(0, alertErrorLength) }
  }
}

const sendMail = async (mail: Mail, address: Address, message: Message): Promise<Delivered> => {
  const withoutResponse = { status: null, text: null }
  try {
    const createTimeoutError = () => new Error('The mail server did not accept the email in time')
    await withTimeout(mail.send(createAlertMail(address, message)), maxSeconds.email, createTimeoutError)
    return { ...withoutResponse, delivered: true, error: null }
  } catch (error) {
    return {
      ...withoutResponse,
      delivered: false,
      ...(error instanceof MailRejectedError ? { final: true as const } : {}),
      error: describeError(error, 'mail server').slice(0, alertErrorLength),
    }
  }
}

/** Delivers a message to a destination. A delivery failure is returned in the result, not thrown. */
export const deliver = (
  { outgoing, mail }: { outgoing: Outgoing; mail: Mail },
  address: Address,
  message: Message,
): Promise<Delivered> =>
  address.kind === 'webhook' ? postToWebhook(outgoing, address, message) : sendMail(mail, address, message)
