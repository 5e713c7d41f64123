import { createHash } from 'node:crypto'
import type { Turn } from '@patchbay/contract/conversations'
import { tokenize } from '@patchbay/contract/conversations/tokenize'

/**
 * Writes words as tokens for the full-text index. A token consists of ASCII letters and digits, so that it is never
 * syntax of a query, and begins with the speaker, so that a search can be limited to one side.
 */

export type Speaker = Turn['speaker']

/** Increases if the same text gets other tokens. The index is then built again in the background. */
const tokenVersion = 1

/** `index_version` of transcripts whose words are in the database, and of those whose words are in an external index. */
export const indexVersions = { database: tokenVersion, external: 1000 + tokenVersion } as const

/** MySQL's default limit of a token is 84 characters. A longer word is stored as its SHA-256. */
const maxTermLength = 64
/** Words of a conversation after these are not indexed. A call of two hours has about 20,000. */
const maxTokens = 50_000

/** The second letter of plain words is not in any stop word of MySQL's default list. */
const speakerPrefixes: Readonly<Record<Speaker, string>> = { caller: 'cw', agent: 'aw' }

/** Other words are encoded. Their second letter distinguishes them from plain ones. */
const encodedPrefixes: Readonly<Record<Speaker, string>> = { caller: 'cx', agent: 'ax' }

const isPlain = (term: string): boolean => term.length <= maxTermLength && /^[a-z0-9]+$/.test(term)

const encodeTerm = (term: string): string => {
  const hex = Buffer.from(term).toString('hex')
  return hex.length <= maxTermLength ? hex : createHash('sha256').update(term).digest('hex')
}

/** Returns the token of a term, as `tokenize` returns it. */
export const toToken = (speaker: Speaker, term: string): string =>
  isPlain(term) ? speakerPrefixes[speaker] + term : encodedPrefixes[speaker] + encodeTerm(term)

/** Separates turns, so that a phrase matches within one turn only. */
export const turnSeparator = 'zzz'

/** Returns the token of a property, such as the account, for the filters of FTS5. */
export const toPropertyToken = (prefix: 'o' | 'p', value: string): string => prefix + Buffer.from(value).toString('hex')

/** Returns the tokens of all turns, in their order, with spaces between them and at both ends. */
export const toTokenText = (turns: readonly { speaker: Speaker; text: string }[]): string => {
  const tokens: string[] = []
  for (const { speaker, text } of turns) {
    if (tokens.length >= maxTokens) break
    for (const { term } of tokenize(text)) tokens.push(toToken(speaker, term))
    tokens.push(turnSeparator)
  }
  return ` ${tokens.slice(0, maxTokens).join(' ')} `
}
