import { throwInvalid } from '@patchbay/contract/api/errors'
import type { WebhookReport } from '@patchbay/contract/webhook-test'
import type { TriedHook } from '@patchbay/contract/webhooks/webhooks'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import type { AnswerHead, Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import { evaluateResponse } from './evaluate-webhook.ts'
import { maskVariables } from './variables.ts'
import type { WebhookRequest } from './webhook-request.ts'

/**
 * Sends one request to a webhook and reports the result. Failures of the webhook are part of the report, not errors.
 */

export interface WebhookTestLimits {
  /** Timeout, the same as in jambonz. */
  milliseconds: number
  bytes: number
}

export const defaultLimits: WebhookTestLimits = { milliseconds: 10_000, bytes: 2 ** 18 }

const reportedHeaders = ['content-type', 'location', 'retry-after', 'server', 'www-authenticate']

const mask = '********'

const maskBody = (body: string): string => {
  const { env_vars, ...fields } = JSON.parse(body) as { env_vars?: Record<string, unknown> }
  return JSON.stringify(env_vars === undefined ? fields : { ...fields, env_vars: maskVariables(env_vars) })
}

const toReportedRequest = ({ method, url, headers, body }: WebhookRequest): WebhookReport['request'] => ({
  method,
  url,
  headers: { ...headers, ...(headers['Authorization'] ? { Authorization: `Basic ${mask}` } : {}) },
  body: body === undefined ? null : maskBody(body),
})

const toReportedHead = ({ status, statusText, headers }: AnswerHead) => ({
  status,
  status_text: statusText,
  headers: Object.fromEntries(reportedHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
})

/** Sends the request. Rejects URLs that may not be requested. */
export const tryWebhook = async (
  outgoing: Outgoing,
  hook: TriedHook,
  request: WebhookRequest,
  signal: AbortSignal,
  { milliseconds: max, bytes }: WebhookTestLimits = defaultLimits,
): Promise<WebhookReport> => {
  const { url, method, headers, body } = request
  const startedAt = performance.now()
  const timeoutSignal = AbortSignal.timeout(max)
  const createPartialReport = () => ({
    request: toReportedRequest(request),
    milliseconds: Math.round(performance.now() - startedAt),
  })
  let head: AnswerHead | undefined
  try {
    const response = await outgoing.send(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      onAnswer: (responseHead) => {
        head = responseHead
      },
      max: bytes,
      stop: AbortSignal.any([signal, timeoutSignal]),
    })
    const partialReport = createPartialReport()
    const { text, ...verdict } = evaluateResponse(hook, response, response.body.toString('utf8'))
    return {
      ...partialReport,
      answer: { ...toReportedHead(response), text, bytes: response.body.length },
      failure: null,
      ...verdict,
    }
  } catch (error) {
    if (error instanceof AddressNotAllowedError) return throwInvalid(error.message, 'hook')
    const failure = describeError(timeoutSignal.aborted ? timeoutSignal.reason : error, 'webhook')
    const failedVerdict = {
      verbs: [],
      faults: [{ message: failure, line: null, column: null }],
      faults_total: 1,
      warnings: [],
    }
    const reportedAnswer = head === undefined ? null : { ...toReportedHead(head), text: '', bytes: 0 }
    return { ...createPartialReport(), answer: reportedAnswer, failure, ...failedVerdict }
  }
}
