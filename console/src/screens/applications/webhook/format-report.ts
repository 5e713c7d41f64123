import type { WebhookReport } from '@patchbay/contract/webhook-test'
import { formatJson } from '../../../ui/json.ts'

/** What was sent and what came back, in words and lines. */

/** The request as one writes them down: its line, its headers, its body. */
export const requestText = ({ method, url, headers, body }: WebhookReport['request']): string => {
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return body === null ? lines.join('\n') : [...lines, '', formatJson(JSON.parse(body))].join('\n')
}

export const sizeText = (bytes: number): string =>
  bytes < 1000 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${(bytes / 1000).toFixed(1)} kB`

/** `3 problems` */
export const problemsText = (count: number): string => (count === 1 ? '1 problem' : `${count} problems`)

/** What it comes to. */
export const verdictText = ({ faults, faults_total, failure }: WebhookReport): string => {
  if (failure !== null) return 'No answer'
  return faults.length === 0 ? 'Good' : problemsText(faults_total)
}

const maxLines = 2000
const maxCharacters = 100_000

/** As much of a text as can be looked at, in lines; and of how many. */
export const splitLines = (text: string): { lines: string[]; isCut: boolean } => {
  const lines = text.slice(0, maxCharacters).split('\n').slice(0, maxLines)
  return { lines, isCut: text.length > maxCharacters || text.split('\n', maxLines + 1).length > maxLines }
}
