import { throwApiError } from '@patchbay/contract/api/errors'
import type { Conversation } from '@patchbay/contract/conversations'
import type { ReviewInput } from '@patchbay/contract/reviews'
import { cardNumberLabel, uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import type { OutboundResponse, Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { sha256 } from '../../lib/sha256.ts'
import { type ConversationSources, readConversation } from '../conversations/read-conversation.ts'
import { readTranscriptSettings } from '../conversations/transcript-settings.ts'
import type { OwnedRules } from '../masking/masking-rules.ts'
import { parseModelReview, toMessages, toTranscriptLines } from './model-prompt.ts'
import { type ReviewCall, readReviewSettings } from './review-items.ts'
import { readModelInputHash } from './reviews.ts'

/** Asks the language model of a provider to review a call. */

export interface ModelCheckOptions {
  database: Database
  encryption: Encryption
  outgoing: Outgoing
  sources: ConversationSources
  now: () => number
  /** Time for the response of the model. */
  timeoutMs: number
}

export interface CheckedCall extends ReviewCall {
  service_provider_sid: string | null
}

export interface ModelReview {
  /** Name of the model. */
  model: string
  input: ReviewInput
  /** SHA-256 of what the model received. */
  inputHash: string
}

const maxResponseBytes = 256 * 1024
/** Bounds the cost of a check together with the length of the transcript. */
const maxTokens = 1500

type ModelRow = Selectable<Tables['patchbay_review_models']>

const selectModel = (db: Kysely<Tables>, service_provider_sid: string) =>
  db.selectFrom('patchbay_review_models').selectAll().where('service_provider_sid', '=', service_provider_sid)

/** @throws ApiError if the provider uses no model */
const requireEnabled = (row: ModelRow | undefined): ModelRow =>
  row?.is_enabled === 1 ? row : throwApiError('review_model_disabled')

/**
 * Returns how many checks a day an account can use: half of those of its provider, so that it cannot use up those of
 * others, or all of them if it is the only account.
 */
const getAccountLimit = async (trx: Transaction<Tables>, { service_provider_sid, daily_limit }: ModelRow) => {
  const accounts = await trx
    .selectFrom('accounts')
    .select('account_sid')
    .where('service_provider_sid', '=', service_provider_sid)
    .limit(2)
    .execute()
  return accounts.length > 1 ? Math.ceil(daily_limit / 2) : daily_limit
}

/**
 * Counts a check of an account. The caller has locked the row of the provider.
 * @throws ApiError if the account has reached its limit
 */
const claimForAccount = async (trx: Transaction<Tables>, row: ModelRow, account_sid: string, today: number) => {
  const count = await trx
    .selectFrom('patchbay_model_check_counts')
    .select(['used_on', 'used'])
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  const used = count?.used_on === today ? count.used : 0
  if (used >= (await getAccountLimit(trx, row))) throwApiError('review_model_account_limit_exceeded')
  const values = { used_on: today, used: used + 1 }
  if (count === undefined)
    await trx
      .insertInto('patchbay_model_check_counts')
      .values({ account_sid, ...values })
      .execute()
  else await trx.updateTable('patchbay_model_check_counts').set(values).where('account_sid', '=', account_sid).execute()
}

/**
 * Counts a check before it is sent, so that failing ones cannot exceed the limits either. Returns the settings.
 * @throws ApiError if the provider uses no model, or the provider or the account has reached its limit
 */
const claimCheck = (
  { database, now }: ModelCheckOptions,
  { account_sid }: ReviewCall,
  service_provider_sid: string,
): Promise<ModelRow> =>
  inTransaction(database, async (trx) => {
    const row = requireEnabled(
      await lockForUpdate(database.engine, selectModel(trx, service_provider_sid)).executeTakeFirst(),
    )
    const today = toDayNumber(now())
    const used = row.used_on === today ? row.used : 0
    if (used >= row.daily_limit) return throwApiError('review_model_limit_exceeded')
    await claimForAccount(trx, row, account_sid, today)
    await trx
      .updateTable('patchbay_review_models')
      .set({ used_on: today, used: used + 1 })
      .where('service_provider_sid', '=', service_provider_sid)
      .execute()
    return row
  })

/** Returns the conversation with masked texts. Rules can be newer than the stored texts. */
const maskConversation = async (
  { masking }: ConversationSources,
  rules: OwnedRules,
  { turns, events }: Conversation,
): Promise<Pick<Conversation, 'turns' | 'events'>> => {
  // The turns of a speaker are a sequence, because a number can be spread over them.
  const masked = await masking.maskEvents(rules, [
    ...turns.map(({ speaker, text }) => ({ type: speaker, text })),
    ...events.map(({ kind, detail, error }) => ({ type: kind, detail, ...(error === undefined ? {} : { error }) })),
  ])
  const getMasked = (at: number, name: string): string => {
    const text = masked[at]?.[name]
    return typeof text === 'string' ? text : ''
  }
  return {
    turns: turns.map((turn, at) => ({ ...turn, text: getMasked(at, 'text') })),
    events: events.map((event, at) => ({
      ...event,
      detail: getMasked(turns.length + at, 'detail'),
      ...(event.error === undefined ? {} : { error: getMasked(turns.length + at, 'error') }),
    })),
  }
}

/** Returns the masked lines of the transcript. */
const readLines = async (
  { database, sources }: ModelCheckOptions,
  { account_sid, call_sid }: ReviewCall,
): Promise<string[]> => {
  const { access } = await readTranscriptSettings(database.db, account_sid)
  if (access === 'off') return throwApiError('review_model_no_transcripts')
  const result = await readConversation(sources, account_sid, call_sid)
  if (result === undefined) return throwApiError('call_not_found')
  if (result.conversation === undefined) return throwApiError('review_model_no_conversation')
  const rules = await sources.masking.findRules({ account_sid })
  const maskLabels = [cardNumberLabel, uncheckedLabel, ...rules.patterns.map(({ replacement }) => `[${replacement}]`)]
  const lines = toTranscriptLines(await maskConversation(sources, rules, result.conversation), maskLabels)
  return lines.length === 0 ? throwApiError('review_model_no_conversation') : lines
}

/** Servers name the limit of tokens differently: OpenAI rejects the older name for its newer models. */
const tokenLimits = ['max_tokens', 'max_completion_tokens'] as const

const isUnknownLimit = ({ status, body }: OutboundResponse): boolean => status === 400 && body.includes(tokenLimits[1])

const send = async (
  { outgoing }: ModelCheckOptions,
  { url, api_key, content }: { url: string; api_key: string | undefined; content: object },
  signal: AbortSignal,
): Promise<OutboundResponse> => {
  const post = (tokenLimit: string) =>
    outgoing.send(`${url}${url.endsWith('/') ? '' : '/'}chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(api_key === undefined ? {} : { authorization: `Bearer ${api_key}` }),
      },
      body: JSON.stringify({ ...content, [tokenLimit]: maxTokens }),
      max: maxResponseBytes,
      stop: signal,
    })
  const response = await post(tokenLimits[0])
  return isUnknownLimit(response) ? post(tokenLimits[1]) : response
}

/**
 * Sends the masked transcript of a call to the language model of the provider, and returns its review. Returns undefined,
 * and sends nothing, if the stored review is that of the same text by the same model.
 * @throws ApiError if the model is off, a limit is reached, the call has no transcript, or the model fails
 */
export const checkByModel = async (
  options: ModelCheckOptions,
  call: CheckedCall,
  signal: AbortSignal,
): Promise<ModelReview | undefined> => {
  const { database, encryption } = options
  const service_provider_sid = call.service_provider_sid ?? ''
  const lines = await readLines(options, call)
  const settings = await readReviewSettings(database.db, service_provider_sid)
  const toContent = ({ model, instructions }: ModelRow) => ({
    model,
    messages: toMessages(settings, instructions, lines),
    response_format: { type: 'json_object' },
  })
  const toHash = (row: ModelRow) => sha256(JSON.stringify([row.url, toContent(row)]))
  const current = requireEnabled(await selectModel(database.db, service_provider_sid).executeTakeFirst())
  if ((await readModelInputHash(database.db, call)) === toHash(current)) return undefined
  const claimed = await claimCheck(options, call, service_provider_sid)
  const { url, model, api_key: stored } = claimed
  const api_key = stored === null ? undefined : encryption.decrypt(stored)
  const content = toContent(claimed)
  const timeoutSignal = AbortSignal.timeout(options.timeoutMs)
  let response: OutboundResponse
  try {
    response = await send(options, { url, api_key, content }, AbortSignal.any([signal, timeoutSignal]))
  } catch (error) {
    const reason = describeError(timeoutSignal.aborted ? timeoutSignal.reason : error, 'language model')
    return throwApiError('review_model_failed', { msg: reason })
  }
  const { status, body } = response
  if (status < 200 || status > 299)
    return throwApiError('review_model_failed', { msg: `The language model responded with status ${status}` })
  const input = parseModelReview(body.toString('utf8'), settings)
  if (input === undefined)
    return throwApiError('review_model_failed', { msg: 'The response of the language model contains no review' })
  const { masking } = options.sources
  const [note = ''] = await masking.maskLines(await masking.findRules(call), [input.note])
  return { model, input: { ...input, note }, inputHash: toHash(claimed) }
}
