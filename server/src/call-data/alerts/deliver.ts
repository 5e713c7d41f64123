import type { DestinationKind } from '@patchbay/contract/shared/destination-kinds'
import { type Mail, MailRejectedError } from '../../adapters/mail/mail.ts'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { signPayload } from '../../adapters/outbound-http/signature.ts'
import type { Configuration } from '../../config/configuration.ts'
import { alertErrorLength } from '../../database/patchbay-schema.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { createAlertMail, type Message } from './alert-mail.ts'
import { formatPagerDutyBody, formatSlackBody, formatWebhookBody } from './alert-payloads.ts'

/** Delivery of a message with one or more alerts to a destination, and its result. */

export interface Address {
  kind: DestinationKind
  target: string
  /** Key that signs webhook requests. */
  secret: string
  /** Path of the console page for unsubscribing, linked in each email. */
  unsubscribePath: string
}

export interface DeliveryServices {
  outgoing: Outgoing
  mail: Mail
  configuration: Pick<Configuration, 'publicUrl' | 'pagerDutyUrl'>
}

export interface Delivered {
  delivered: boolean
  /** True if a retry cannot succeed. */
  final?: true
  status: number | null
  /** The time in milliseconds that the receiver asks to wait before the next request. */
  retryAfterMs?: number
  /** Beginning of the response body. */
  text: string | null
  error: string | null
}

/** Time limit per delivery. Longer than the timeouts of the outbound HTTP client and the mail client. */
export const maxSeconds = { request: 10, email: 30 }
const maxBytes = 2 ** 16
const maxResponseCharacters = 2000

/** Names of the receivers in error messages. */
const receiverNames = { webhook: 'webhook', slack: 'Slack webhook', pagerduty: 'PagerDuty API' } as const
type RequestKind = keyof typeof receiverNames

const describeErrorStatus = (receiver: string, status: number, statusText: string): string =>
  status >= 300 && status < 400
    ? `Redirects are not followed: the ${receiver} responded with ${status}`
    : `The ${receiver} responded with ${`${status} ${statusText}`.trim()}`

const minute = 60

const formatWait = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 2 * minute ? `${seconds} seconds` : `${Math.ceil(seconds / minute)} minutes`
}

/**
 * Parses the header Retry-After, which contains seconds or a date (RFC 9110 section 10.2.3). Returns milliseconds, or
 * undefined for a missing or invalid value and a time in the past.
 */
export const parseRetryAfter = (header: string | readonly string[] | undefined, now: number): number | undefined => {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim() ?? ''
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return milliseconds > 0 ? milliseconds : undefined
}

interface AlertRequest {
  url: string
  body: string
  headers?: Readonly<Record<string, string>>
}

const buildRequest = (
  { publicUrl, pagerDutyUrl }: DeliveryServices['configuration'],
  kind: RequestKind,
  { target, secret }: Address,
  message: Message,
): AlertRequest => {
  if (kind === 'slack') return { url: target, body: JSON.stringify(formatSlackBody(message, publicUrl)) }
  if (kind === 'pagerduty')
    return { url: `${pagerDutyUrl}/v2/enqueue`, body: JSON.stringify(formatPagerDutyBody(message, target, publicUrl)) }
  const body = JSON.stringify(formatWebhookBody(message))
  return { url: target, body, headers: { 'Jambonz-Signature': signPayload(body, secret) } }
}

const post = async (outgoing: Outgoing, kind: RequestKind, request: AlertRequest): Promise<Delivered> => {
  const { url, body, headers } = request
  const receiver = receiverNames[kind]
  const timeoutSignal = AbortSignal.timeout(maxSeconds.request * 1000)
  try {
    const response = await outgoing.send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      max: maxBytes,
      stop: timeoutSignal,
    })
    const { status, statusText } = response
    const delivered = status >= 200 && status < 300
    const text = response.body.toString('utf8').slice(0, maxResponseCharacters)
    if (delivered) return { delivered, status, text, error: null }
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now())
    const wait = retryAfterMs === undefined ? '' : `, and asks to wait ${formatWait(retryAfterMs)}`
    const error = `${describeErrorStatus(receiver, status, statusText)}${wait}`
    return { delivered, status, text, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  } catch (error) {
    const reason = describeError(timeoutSignal.aborted ? timeoutSignal.reason : error, receiver)
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
  { outgoing, mail, configuration }: DeliveryServices,
  address: Address,
  message: Message,
): Promise<Delivered> =>
  address.kind === 'email'
    ? sendMail(mail, address, message)
    : post(outgoing, address.kind, buildRequest(configuration, address.kind, address, message))
