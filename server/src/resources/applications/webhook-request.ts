import type { StoredHook } from '@patchbay/contract/api/hooks'
import { signPayload } from '../../adapters/outbound-http/signature.ts'

/** Builds requests like the published jambonz server: signed, and with the stored user name and password. */

type Members = Readonly<Record<string, unknown>>

export interface WebhookRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** Undefined for GET requests. */
  body: string | undefined
}

/** Fields that GET requests contain as query parameters, according to the webhook reference. */
const queryFields = [
  'call_sid',
  'application_sid',
  'account_sid',
  'direction',
  'from',
  'to',
  'caller_name',
  'call_status',
  'sip_status',
] as const

/** Returns the URL without user information and fragment, and with the query parameters. */
const buildUrl = (url: string, query: Members): string => {
  const address = Object.assign(new URL(url), { username: '', password: '', hash: '' })
  for (const name of queryFields) if (name in query) address.searchParams.append(name, String(query[name]))
  return address.href
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

export const createWebhookRequest = (
  { url, method, username, password }: StoredHook,
  payload: Members,
  secret: string,
): WebhookRequest => {
  const content = JSON.stringify(payload)
  const isPost = method === 'POST'
  return {
    method,
    url: buildUrl(url, isPost ? {} : payload),
    headers: {
      'Jambonz-Signature': signPayload(content, secret),
      ...(username && password ? { Authorization: basic(username, password) } : {}),
      ...(isPost ? { 'Content-Type': 'application/json' } : {}),
    },
    body: isPost ? content : undefined,
  }
}
