import type { WebhookProblem } from '@patchbay/contract/webhook-test'
import type { TriedHook } from '@patchbay/contract/webhooks/webhooks'
import { findJsonError, lineAndColumn, parseJsonPositions } from '@patchbay/rules/webhooks/json-positions'
import { isRejected, type VerbError, validateVerbs, verbNames } from '@patchbay/rules/webhooks/verbs'
import type { AnswerHead } from '../../adapters/outbound-http/outgoing.ts'
import { isDeeper } from './app-env.ts'

/** Evaluates the response of a webhook like jambonz, which accepts JSON with one of three statuses. */

const acceptedStatuses: readonly number[] = [200, 202, 204]
const redirects: readonly number[] = [301, 302, 303, 307, 308]
const maxErrors = 50
/** Limits for reformatting JSON. Valid verbs do not reach them. A larger body is shown unchanged. */
const maxDepth = 32
const maxFormattedLength = 2 ** 19

interface Verdict {
  /** The body, formatted if it is JSON. Lines and columns of problems refer to this text. */
  text: string
  verbs: string[]
  faults: WebhookProblem[]
  faults_total: number
  /** Properties that Patchbay does not know. */
  warnings: WebhookProblem[]
}

const toProblem = (message: string): WebhookProblem => ({ message, line: null, column: null })

const validateStatus = ({ status, statusText, headers }: AnswerHead): string | undefined => {
  if (acceptedStatuses.includes(status)) return undefined
  const statusLine = `${status} ${statusText}`.trim()
  if (redirects.includes(status) && headers['location'])
    return `The platform does not follow redirects: ${statusLine} to ${headers['location']}`
  return `The platform accepts only 200, 202, and 204, not ${statusLine}`
}

const validateContentType = ({ headers }: AnswerHead): string | undefined => {
  const type = headers['content-type']
  if (type?.includes('application/json')) return undefined
  return `The platform accepts only application/json, not ${type ?? 'a response without a content type'}`
}

const findSyntaxError = (text: string): WebhookProblem => {
  const { message, at } = findJsonError(text) ?? { message: 'Not JSON', at: text.length }
  return { message, ...lineAndColumn(text, at) }
}

const format = (body: string, value: unknown): string => {
  const lines = isDeeper(value, maxDepth) ? body : JSON.stringify(value, null, 2)
  return lines.length > maxFormattedLength ? body : lines
}

const parseBody = (body: string): { text: string; value?: unknown; syntaxError?: WebhookProblem } => {
  try {
    const value: unknown = JSON.parse(body)
    return { text: format(body, value), value }
  } catch {
    return { text: body, syntaxError: findSyntaxError(body) }
  }
}

type VerdictWithoutText = Omit<Verdict, 'text'>

const valid = (verbs: string[] = [], warnings: WebhookProblem[] = []): VerdictWithoutText => ({
  verbs,
  faults: [],
  faults_total: 0,
  warnings,
})
const invalid = (...faults: WebhookProblem[]): VerdictWithoutText => ({
  verbs: [],
  faults,
  faults_total: faults.length,
  warnings: [],
})

const checkVerbs = (text: string, value: unknown): VerdictWithoutText => {
  const errors = validateVerbs(value)
  const findOffset = errors.length === 0 ? undefined : parseJsonPositions(text)
  const locate = ({ path, message }: VerbError): WebhookProblem => ({
    message,
    ...lineAndColumn(text, findOffset?.(path) ?? 0),
  })
  const rejected = errors.filter((error) => isRejected(error, new Set()))
  if (rejected.length > 0)
    return {
      verbs: [],
      faults: rejected.slice(0, maxErrors).map(locate),
      faults_total: rejected.length,
      warnings: [],
    }
  const verbs = verbNames(value as readonly unknown[])
  const warnings = errors
    .slice(0, maxErrors)
    .map((error) => locate({ ...error, message: `${error.message}. Platforms that do not know it reject the verbs` }))
  return verbs.length === 0
    ? invalid(toProblem('The response contains no verbs, and a call needs at least one'))
    : valid(verbs, warnings)
}

/**
 * Evaluates the response of a webhook. The body is checked for calling webhooks only; of call status webhooks, only the
 * status matters.
 */
export const evaluateResponse = (hook: TriedHook, head: AnswerHead, body: string): Verdict => {
  const { text, value, syntaxError: broken } = parseBody(body)
  const statusError = validateStatus(head)
  if (statusError !== undefined) return { text, ...invalid(toProblem(statusError)) }
  if (hook === 'call_status_hook') return { text, ...valid() }
  if (body === '') return { text, ...invalid(toProblem('The response is empty: it contains no verbs')) }
  const checked = broken ? invalid(broken) : checkVerbs(text, value)
  const typeError = validateContentType(head)
  if (typeError === undefined) return { text, ...checked }
  return {
    text,
    verbs: [],
    faults: [toProblem(typeError), ...checked.faults],
    faults_total: checked.faults_total + 1,
    warnings: [],
  }
}
