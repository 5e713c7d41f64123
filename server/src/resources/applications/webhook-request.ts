import type { StoredHook } from '@patchbay/contract/hooks'
import { signPayload } from '../../adapters/outbound-http/signature.ts'

/** How the platform's published server asks a webhook: signed, and with the name and password that are stored for it. */

type Members = Readonly<Record<string, unknown>>

export interface WebhookRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** none goes with GET */
  body: string | undefined
}

/** Those that GET carries in its address, by the platform's reference. */
const asQuery = [
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

/** Neither who is named in the address nor what stands behind its # is sent along. */
const addressOf = (url: string, query: Members): string => {
  const address = Object.assign(new URL(url), { username: '', password: '', hash: '' })
  for (const name of asQuery) if (name in query) address.searchParams.append(name, String(query[name]))
  return address.href
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

export const webhookRequest = (
  { url, method, username, password }: StoredHook,
  told: Members,
  secret: string,
): WebhookRequest => {
  const content = JSON.stringify(told)
  const isPost = method === 'POST'
  return {
    method,
    url: addressOf(url, isPost ? {} : told),
    headers: {
      'Jambonz-Signature': signPayload(content, secret),
      ...(username && password ? { Authorization: basic(username, password) } : {}),
      ...(isPost ? { 'Content-Type': 'application/json' } : {}),
    },
    body: isPost ? content : undefined,
  }
}
