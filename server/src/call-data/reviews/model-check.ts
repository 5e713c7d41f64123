import { throwApiError } from '@patchbay/contract/errors'
import type { ReviewInput } from '@patchbay/contract/reviews'
import { toDayNumber } from '@patchbay/contract/shared/call-quality'
import type { Outgoing, OutboundResponse } from '../../adapters/outbound-http/outgoing.ts'
import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { type ConversationSources, readConversation } from '../conversations/read-conversation.ts'
import { readTranscriptSettings } from '../conversations/transcript-settings.ts'
import { parseModelReview, toMessages, toTranscriptLines } from './model-prompt.ts'
import { type ReviewCall, readReviewSettings } from './review-items.ts'

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
}

const maxResponseBytes = 256 * 1024
/** Bounds the cost of a check together with the length of the transcript. */
const maxTokens = 1500

/**
 * Counts a check before it is sent, so that failing ones cannot exceed the limit either. Returns the settings.
 * @throws ApiError if the provider uses no model, or has reached its limit
 */
const claimCheck = ({ database, now }: ModelCheckOptions, service_provider_sid: string) =>
  inTransaction(database, async (trx) => {
    const selected = trx
      .selectFrom('patchbay_review_models')
      .selectAll()
      .where('service_provider_sid', '=', service_provider_sid)
    const row = await lockForUpdate(database.engine, selected).executeTakeFirst()
    if (row?.is_enabled !== 1) return throwApiError('review_model_off')
    const today = toDayNumber(now())
    const used = row.used_on === today ? row.used : 0
    if (used >= row.daily_limit) return throwApiError('review_model_limit')
    await trx
      .updateTable('patchbay_review_models')
      .set({ used_on: today, used: used + 1 })
      .where('service_provider_sid', '=', service_provider_sid)
      .execute()
    return row
  })

/** Returns the masked lines of the transcript. */
const readLines = async (
  { database, sources }: ModelCheckOptions,
  { account_sid, call_sid }: ReviewCall,
): Promise<string[]> => {
  const { access } = await readTranscriptSettings(database.db, account_sid)
  if (access === 'off') return throwApiError('review_model_no_transcripts')
  const result = await readConversation(sources, account_sid, call_sid)
  if (result === undefined) return throwApiError('call_not_found')
  const lines = result.conversation === undefined ? [] : toTranscriptLines(result.conversation)
  if (lines.length === 0) return throwApiError('review_model_no_conversation')
  // Rules can be newer than the stored texts.
  return sources.masking.maskLines(await sources.masking.findRules({ account_sid }), lines)
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
 * Sends the masked transcript of a call to the language model of the provider, and returns its review.
 * @throws ApiError if the model is off, the limit is reached, the call has no transcript, or the model fails
 */
export const checkByModel = async (
  options: ModelCheckOptions,
  call: CheckedCall,
  signal: AbortSignal,
): Promise<ModelReview> => {
  const { database, encryption } = options
  const service_provider_sid = call.service_provider_sid ?? ''
  const lines = await readLines(options, call)
  const settings = await readReviewSettings(database.db, service_provider_sid)
  const { url, model, api_key: stored, instructions } = await claimCheck(options, service_provider_sid)
  const api_key = stored === null ? undefined : encryption.decrypt(stored)
  const content = {
    model,
    messages: toMessages(settings, instructions, lines),
    response_format: { type: 'json_object' },
  }
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
  return { model, input: { ...input, note } }
}
