import type { WebhookReport } from '@patchbay/contract/webhook-test'
import type { StateTone } from '../../../ui/badge.tsx'
import { formatJson } from '../../../ui/format/json.ts'

/** Formats the report of a webhook test. */

/** Returns the request in HTTP notation: request line, headers, and body. */
export const requestText = ({ method, url, headers, body }: WebhookReport['request']): string => {
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return body === null ? lines.join('\n') : [...lines, '', formatJson(JSON.parse(body))].join('\n')
}

export const sizeText = (bytes: number): string =>
  bytes < 1000 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${(bytes / 1000).toFixed(1)} kB`

/** Returns for example `3 problems`. */
export const problemsText = (count: number): string => (count === 1 ? '1 problem' : `${count} problems`)

/** Returns the outcome in one or two words. */
export const verdictText = ({ faults, faults_total, failure, warnings }: WebhookReport): string => {
  if (failure !== null) return 'No answer'
  if (faults.length > 0) return problemsText(faults_total)
  return warnings.length > 0 ? problemsText(warnings.length) : 'Good'
}

export const verdictTone = ({ faults, warnings }: WebhookReport): StateTone => {
  if (faults.length > 0) return 'bad'
  return warnings.length > 0 ? 'warn' : 'good'
}

const maxLines = 2000
const maxCharacters = 100_000

/** Splits a text into lines. Long texts are truncated, and `isCut` is true then. */
export const splitLines = (text: string): { lines: string[]; isCut: boolean } => {
  const lines = text.slice(0, maxCharacters).split('\n').slice(0, maxLines)
  return { lines, isCut: text.length > maxCharacters || text.split('\n', maxLines + 1).length > maxLines }
}
