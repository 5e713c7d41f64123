import type { WebhookProblem } from '@patchbay/contract/webhook-test'
import { findJsonError, lineAndColumn, parseJsonPositions } from '@patchbay/contract/webhooks/json-positions'
import { validateVerbs, verbNames, type VerbPath, type VerbSpecs } from '@patchbay/contract/webhooks/verbs'
import type { TriedHook } from '@patchbay/contract/webhooks/webhooks'
import { createRequire } from 'node:module'
import type { AnswerHead } from '../../adapters/outbound-http/outgoing.ts'
import { isDeeper } from './app-env.ts'

/** What the platform would make of the answer of a webhook, which it takes as JSON, with one of three statuses. */

const specs = createRequire(import.meta.url)('@jambonz/verb-specifications/specs.json') as VerbSpecs

const taken: readonly number[] = [200, 202, 204]
const redirects: readonly number[] = [301, 302, 303, 307, 308]
const maxErrors = 50
/** Verbs are not nested as deep as that, nor as long in lines; what is stays as it came. */
const deepest = 32
const longest = 2 ** 19

interface Verdict {
  /** the body, in lines where it is JSON; lines and columns are of it */
  text: string
  verbs: string[]
  faults: WebhookProblem[]
  faults_total: number
}

const whole = (message: string): WebhookProblem => ({ message, line: null, column: null })

const statusFault = ({ status, statusText, headers }: AnswerHead): string | undefined => {
  if (taken.includes(status)) return undefined
  const said = `${status} ${statusText}`.trim()
  if (redirects.includes(status) && headers['location'])
    return `The platform does not follow redirects: ${said} to ${headers['location']}`
  return `The platform takes 200, 202 and 204 alone, not ${said}`
}

const typeFault = ({ headers }: AnswerHead): string | undefined => {
  const type = headers['content-type']
  if (type?.includes('application/json')) return undefined
  return `The platform reads application/json alone, not ${type ?? 'an answer without a content type'}`
}

const brokenAt = (text: string): WebhookProblem => {
  const { message, at } = findJsonError(text) ?? { message: 'Not JSON', at: text.length }
  return { message, ...lineAndColumn(text, at) }
}

const inLines = (body: string, value: unknown): string => {
  const lines = isDeeper(value, deepest) ? body : JSON.stringify(value, null, 2)
  return lines.length > longest ? body : lines
}

const read = (body: string): { text: string; value?: unknown; broken?: WebhookProblem } => {
  try {
    const value: unknown = JSON.parse(body)
    return { text: inLines(body, value), value }
  } catch {
    return { text: body, broken: brokenAt(body) }
  }
}

type Checked = Omit<Verdict, 'text'>

const right = (verbs: string[] = []): Checked => ({ verbs, faults: [], faults_total: 0 })
const wrong = (...faults: WebhookProblem[]): Checked => ({ verbs: [], faults, faults_total: faults.length })

const checkVerbs = (text: string, value: unknown): Checked => {
  const found = validateVerbs(specs, value)
  if (found.length === 0) {
    const verbs = verbNames(value as readonly unknown[])
    return verbs.length === 0 ? wrong(whole('There are no verbs, and no call begins without one')) : right(verbs)
  }
  const { at } = parseJsonPositions(text)
  const position = (path: VerbPath) => lineAndColumn(text, at(path) ?? 0)
  const faults = found.slice(0, maxErrors).map(({ path, message }) => ({ message, ...position(path) }))
  return { verbs: [], faults, faults_total: found.length }
}

/** Of what a calling webhook says; of a call status webhook only whether it took what it was told. */
export const verdictOn = (hook: TriedHook, head: AnswerHead, body: string): Verdict => {
  const { text, value, broken } = read(body)
  const refused = statusFault(head)
  if (refused !== undefined) return { text, ...wrong(whole(refused)) }
  if (hook === 'call_status_hook') return { text, ...right() }
  if (body === '') return { text, ...wrong(whole('The answer is empty: there are no verbs')) }
  const checked = broken ? wrong(broken) : checkVerbs(text, value)
  const wrongType = typeFault(head)
  if (wrongType === undefined) return { text, ...checked }
  return { text, verbs: [], faults: [whole(wrongType), ...checked.faults], faults_total: checked.faults_total + 1 }
}
