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
import { type ClaimedConversation, storeConversations } from '../call-data/conversations/store-conversation.ts'
import { storeTranscript } from '../call-data/conversations/transcripts.ts'
import { maskStoredCall, maskStoredEvents } from '../call-data/masking/mask-stored-call.ts'
import { selectForReview } from '../call-data/reviews/review-items.ts'
import { type Database, inTransaction } from '../database/engine.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { OnBackgroundError } from '../lib/log.ts'

/** Computes the conversations of calls that have ended, for statistics and for the search in what was said. */

const batchSize = 20
/** Maximum time that a computed conversation waits for others, for example for a long recording, to be stored. */
const longestWaitMs = 2000
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

/** Returns the conversation of a claimed call, or undefined if it is due later or there is none. */
const compute = async (
  { database, sources, now }: ConversationJobOptions,
  claimed: ClaimedCall,
): Promise<ClaimedConversation | undefined> => {
  const { account_sid, call_sid, attempts } = claimed
  await maskStoredEvents({ database, ...sources }, claimed)
  const result = await readConversation(sources, account_sid, call_sid)
  // Events and recordings can arrive long before the record of their call, which can wait on the disk for ClickHouse.
  if (result === undefined) {
    if (attempts < maxAttempts) await releaseClaimed(database.db, claimed, getRetryTime(claimed, now()))
    else await inTransaction(database, (trx) => removeClaimed(trx, claimed))
    return undefined
  }
  const { call, trace_id, conversation, recording } = result
  if (conversation?.recording?.status === 'analyzing' && attempts < maxAttempts) {
    await releaseClaimed(database.db, claimed, now() + analyzingMs)
    return undefined
  }
  await maskStoredCall({ database, ...sources }, { account_sid, call_sid, trace_id }, isMasked(conversation))
  const started_at = Date.parse(call.attempted_at)
  // Before the call leaves the queue, so that a failure in between repeats both.
  const storage = { database, transcriptIndex: sources.transcriptIndex }
  await storeTranscript(storage, { account_sid, call_sid }, call, conversation)
  const isCounted = conversation !== undefined && hasAgent(conversation)
  // Until the storage of the recording responds, the statistics have the conversation without its voices.
  const isIncomplete = recording?.status === 'unavailable' && recording.isTemporary && attempts < maxAttempts
  return {
    conversation: {
      account_sid,
      call_sid,
      service_provider_sid: call.service_provider_sid,
      trace_id: trace_id ?? null,
      sip_callid: call.sip_callid,
      started_at,
      ended_at: call.terminated_at === null ? started_at : Date.parse(call.terminated_at),
      contributions: isCounted ? summarizeConversation(conversation, call) : [],
    },
    claimed,
    repeatAt: isIncomplete ? getRetryTime(claimed, now()) : undefined,
  }
}

/** Creates the job that computes the conversations that are due. */
export const createConversationJob = (options: ConversationJobOptions): (() => Promise<void>) => {
  const { database, onBackgroundError, now } = options
  const postpone = async (error: unknown, claimed: ClaimedCall): Promise<void> => {
    const { account_sid, call_sid, attempts } = claimed
    onBackgroundError(error, 'the conversation of a call could not be computed', { account_sid, call_sid })
    const isTemporary = error instanceof ApiError && error.code === 'unavailable'
    if (attempts >= maxAttempts && !isTemporary) await inTransaction(database, (trx) => removeClaimed(trx, claimed))
    else await releaseClaimed(database.db, claimed, getRetryTime(claimed, now()))
  }
  const store = async (computed: readonly ClaimedConversation[]): Promise<void> => {
    if (computed.length === 0) return
    const computed_at = now()
    try {
      await storeConversations(database, computed, {
        computed_at,
        onStored: (trx, conversation, sums) => selectForReview(trx, database.engine, conversation, sums, computed_at),
      })
    } catch (error) {
      // Storing them one by one keeps only those in the queue that cannot be stored.
      const [first, ...others] = computed
      if (first !== undefined && others.length === 0) return postpone(error, first.claimed)
      for (const one of computed) await store([one])
    }
  }
  return async () => {
    for (let count = 0; count < maxPerRun; ) {
      const claims = await claimConversations(database, now(), batchSize)
      let computed: ClaimedConversation[] = []
      const startedAt = monotonicMs()
      for (const claimed of claims) {
        const one = await compute(options, claimed).catch((error: unknown) => postpone(error, claimed))
        if (one) computed.push(one)
        if (monotonicMs() - startedAt > longestWaitMs) {
          await store(computed)
          computed = []
        }
        await nextTick()
      }
      await store(computed)
      count += claims.length
      if (claims.length < batchSize) return
    }
  }
}
