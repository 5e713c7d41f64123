import { setImmediate as nextTick } from 'node:timers/promises'
import { ApiError } from '@patchbay/contract/api/errors'
import type { Conversation } from '@patchbay/contract/conversations'
import { anyMask } from '@patchbay/contract/shared/masking-limits'
import { hasAgent, summarizeConversation } from '@patchbay/rules/conversations/summarize'
import {
  type ClaimedCall,
  claimConversations,
  maxRetryMs,
  releaseClaimed,
  removeClaimed,
} from '../call-data/conversations/conversation-queue.ts'
import type { ExternalTranscriptIndex } from '../call-data/conversations/external-transcript-index.ts'
import { type ConversationSources, readConversation } from '../call-data/conversations/read-conversation.ts'
import { storeConversation } from '../call-data/conversations/store-conversation.ts'
import { storeTranscript } from '../call-data/conversations/transcripts.ts'
import { maskStoredCall, maskStoredEvents } from '../call-data/masking/mask-stored-call.ts'
import { selectForReview } from '../call-data/reviews/review-items.ts'
import { type Database, inTransaction } from '../database/engine.ts'
import type { OnBackgroundError } from '../lib/log.ts'

/** Computes the conversations of calls that have ended, for statistics and for the search in what was said. */

const batchSize = 20
/** Maximum number of conversations per run, so that the process can stop. */
const maxPerRun = 5000
/** A recording of an hour takes a few seconds. */
const analyzingMs = 10_000
/** Attempts after which a conversation remains without its recording, or is given up if it cannot be computed. */
const maxAttempts = 10
/** Added with each attempt. */
const failureDelayMs = maxRetryMs / maxAttempts

/** Returns when a call is tried again. The pause grows with each attempt, up to ten minutes. */
const getRetryTime = ({ attempts }: ClaimedCall, now: number): number =>
  now + Math.min(attempts, maxAttempts) * failureDelayMs

export interface ConversationJobOptions {
  database: Database
  sources: ConversationSources & { transcriptIndex: ExternalTranscriptIndex | undefined }
  onBackgroundError: OnBackgroundError
  now: () => number
}

/** Returns whether a text or a pressed digit of a conversation is masked. */
const isMasked = (conversation: Conversation | undefined): boolean =>
  conversation !== undefined &&
  (conversation.turns.some(({ text }) => anyMask.test(text)) ||
    conversation.events.some(({ detail }) => anyMask.test(detail)))

const compute = async ({ database, sources, now }: ConversationJobOptions, claimed: ClaimedCall): Promise<void> => {
  const { account_sid, call_sid, attempts } = claimed
  await maskStoredEvents({ database, ...sources }, claimed)
  const result = await readConversation(sources, account_sid, call_sid)
  // Events and recordings can arrive long before the record of their call, which can wait on the disk for ClickHouse.
  if (result === undefined) {
    if (attempts < maxAttempts) await releaseClaimed(database.db, claimed, getRetryTime(claimed, now()))
    else await inTransaction(database, (trx) => removeClaimed(trx, claimed))
    return
  }
  const { call, trace_id, conversation, recording } = result
  if (conversation?.recording?.status === 'analyzing' && attempts < maxAttempts) {
    await releaseClaimed(database.db, claimed, now() + analyzingMs)
    return
  }
  await maskStoredCall({ database, ...sources }, { account_sid, call_sid, trace_id }, isMasked(conversation))
  const started_at = Date.parse(call.attempted_at)
  // Before the call leaves the queue, so that a failure in between repeats both.
  const storage = { database, transcriptIndex: sources.transcriptIndex }
  await storeTranscript(storage, { account_sid, call_sid }, call, conversation)
  const isCounted = conversation !== undefined && hasAgent(conversation)
  const computed = {
    account_sid,
    call_sid,
    service_provider_sid: call.service_provider_sid,
    trace_id: trace_id ?? null,
    sip_callid: call.sip_callid,
    started_at,
    ended_at: call.terminated_at === null ? started_at : Date.parse(call.terminated_at),
    contributions: isCounted ? summarizeConversation(conversation, call) : [],
  }
  // Until the storage of the recording responds, the statistics have the conversation without its voices.
  const isIncomplete = recording?.status === 'unavailable' && recording.isTemporary && attempts < maxAttempts
  const repeatAt = isIncomplete ? getRetryTime(claimed, now()) : undefined
  const computed_at = now()
  await storeConversation(database, computed, claimed, {
    computed_at,
    repeatAt,
    onStored: (trx, sums) => selectForReview(trx, database.engine, computed, sums, computed_at),
  })
}

/** Creates the job that computes the conversations that are due. */
export const createConversationJob = (options: ConversationJobOptions): (() => Promise<void>) => {
  const { database, onBackgroundError, now } = options
  const computeOrPostpone = async (claimed: ClaimedCall): Promise<void> => {
    const { account_sid, call_sid, attempts } = claimed
    try {
      await compute(options, claimed)
    } catch (error) {
      onBackgroundError(error, 'the conversation of a call could not be computed', { account_sid, call_sid })
      const isTemporary = error instanceof ApiError && error.code === 'unavailable'
      if (attempts >= maxAttempts && !isTemporary) await inTransaction(database, (trx) => removeClaimed(trx, claimed))
      else await releaseClaimed(database.db, claimed, getRetryTime(claimed, now()))
    }
  }
  return async () => {
    for (let computed = 0; computed < maxPerRun; ) {
      const claimed = await claimConversations(database, now(), batchSize)
      for (const call of claimed) {
        await computeOrPostpone(call)
        await nextTick()
      }
      computed += claimed.length
      if (claimed.length < batchSize) return
    }
  }
}
