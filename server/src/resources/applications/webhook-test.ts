import { throwInvalid } from '@patchbay/contract/errors'
import type { TriedHook } from '@patchbay/contract/webhooks/webhooks'
import type { WebhookReport } from '@patchbay/contract/webhook-test'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import type { AnswerHead, Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import { maskedVariables } from './variables.ts'
import { verdictOn } from './evaluate-webhook.ts'
import type { WebhookRequest } from './webhook-request.ts'

/** A webhook is sent one request, and what comes of it is told: nothing that it does is a failure of ours. */

export interface TrialLimits {
  /** as long as the platform waits */
  milliseconds: number
  bytes: number
}

export const trialLimits: TrialLimits = { milliseconds: 10_000, bytes: 2 ** 18 }

const toldHeaders = ['content-type', 'location', 'retry-after', 'server', 'www-authenticate']

const mask = '********'

const shownBody = (body: string): string => {
  const { env_vars, ...told } = JSON.parse(body) as { env_vars?: Record<string, unknown> }
  return JSON.stringify(env_vars === undefined ? told : { ...told, env_vars: maskedVariables(env_vars) })
}

const shownRequest = ({ method, url, headers, body }: WebhookRequest): WebhookReport['request'] => ({
  method,
  url,
  headers: { ...headers, ...(headers['Authorization'] ? { Authorization: `Basic ${mask}` } : {}) },
  body: body === undefined ? null : shownBody(body),
})

const shownHead = ({ status, statusText, headers }: AnswerHead) => ({
  status,
  status_text: statusText,
  headers: Object.fromEntries(toldHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
})

/** An address that may not be called is refused. */
export const tryWebhook = async (
  outgoing: Outgoing,
  hook: TriedHook,
  request: WebhookRequest,
  signal: AbortSignal,
  { milliseconds: max, bytes }: TrialLimits = trialLimits,
): Promise<WebhookReport> => {
  const { url, method, headers, body } = request
  const began = performance.now()
  const limit = AbortSignal.timeout(max)
  const soFar = () => ({ request: shownRequest(request), milliseconds: Math.round(performance.now() - began) })
  let head: AnswerHead | undefined
  try {
    const answer = await outgoing.send(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      onAnswer: (begun) => {
        head = begun
      },
      max: bytes,
      stop: AbortSignal.any([signal, limit]),
    })
    const told = soFar()
    const { text, ...verdict } = verdictOn(hook, answer, answer.body.toString('utf8'))
    return { ...told, answer: { ...shownHead(answer), text, bytes: answer.body.length }, failure: null, ...verdict }
  } catch (error) {
    if (error instanceof AddressNotAllowedError) return throwInvalid(error.message, 'hook')
    const failure = describeError(limit.aborted ? limit.reason : error, 'webhook')
    const none = { verbs: [], faults: [{ message: failure, line: null, column: null }], faults_total: 1 }
    const answer = head === undefined ? null : { ...shownHead(head), text: '', bytes: 0 }
    return { ...soFar(), answer, failure, ...none }
  }
}
