import { randomBytes } from 'node:crypto'
import { ApiError, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import {
  type AgentEventEnvelope,
  type AgentEventReceipt,
  agentEventBatch,
  agentEventEnvelope,
  agentEventLimits,
  type conversationEventEndpoints,
} from '@patchbay/contract/conversation-events'
import { isSid } from '@patchbay/contract/shared/sids'
import { isPartialText, withoutAudio } from '@patchbay/rules/conversations/agent-event-rules'
import { hasValidSignature, parseSignature } from '../../adapters/outbound-http/signature.ts'
import { enqueueConversations, settlingMs } from '../../call-data/conversations/conversation-queue.ts'
import { getRejectionReason } from '../../call-data/ingest/rejection-reason.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { toApiError, toValidationError } from '../../http/errors.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { intakeEvents } from '../../lib/telemetry.ts'
import type { Services } from '../services.ts'

/** Receives events of agents (docs/reference/conversation-events.md). */

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return throwApiError('malformed_json')
  }
}

/** @throws ApiError `invalid` with the member, and with the position of the event in a list */
const parseEvents = (payload: string): AgentEventEnvelope[] => {
  const value = parseJson(payload)
  if (Array.isArray(value) && value.length > agentEventLimits.eventsPerRequest)
    throwInvalid(`A request has at most ${agentEventLimits.eventsPerRequest} events, not ${value.length}.`)
  const schema = Array.isArray(value) ? agentEventBatch : agentEventEnvelope
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw toValidationError(parsed.error)
  return [parsed.data].flat()
}

const data = 'agent_events'

const publishReceipt = ({ stored, repeated, dropped }: AgentEventReceipt): void => {
  intakeEvents.publish({ is: 'stored', data, count: stored })
  if (repeated > 0) intakeEvents.publish({ is: 'rejected', data, reason: 'repeated', count: repeated })
  if (dropped > 0) intakeEvents.publish({ is: 'rejected', data, reason: 'quota', count: dropped })
}

/** Verifying a wrong secret takes as long as verifying one of an account. */
const unknownSecret = randomBytes(16).toString('hex')

/** Returns a function that finds the account that has signed a body. */
const createSignatureCheck = ({ db }: Services['database']) => {
  const findAccount = prepared(db, (account_sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'is_active', 'webhook_secret'])
      .where('account_sid', '=', account_sid),
  )
  /** @throws ApiError that is the same for unknown and inactive accounts, and for a wrong signature */
  return async (account_sid: string, payload: string, signature: string): Promise<string> => {
    const header = parseSignature(signature)
    const [account] = isSid(account_sid) ? await findAccount(account_sid) : []
    // On adopted databases, the secret of an account can be empty. Then its signatures can be forged.
    const isUsable = account?.is_active === 1 && Boolean(account.webhook_secret)
    const isSigned = hasValidSignature(header, payload, isUsable ? account.webhook_secret : unknownSecret)
    return isUsable && isSigned ? account.account_sid : throwApiError('signature_invalid')
  }
}

export const conversationEventRoutes = (services: Services): Handlers<keyof typeof conversationEventEndpoints> => {
  const { agentEvents, configuration, database, quotas, rates } = services
  const { rateLimit } = configuration
  const verify = createSignatureCheck(database)
  const queue = createFairQueue({ name: 'intake_agent_events', concurrency: 2, max: 64 })

  const countRequest = async (account_sid: string): Promise<void> => {
    if (rateLimit === null) return
    const { count } = await rates.hit(`agent_events:${account_sid}`, rateLimit.windowSeconds * 1000)
    if (count > rateLimit.max) throw new ApiError('too_many_events')
  }

  const store = async (account_sid: string, payload: string): Promise<AgentEventReceipt> => {
    const received = parseEvents(payload)
    const events = received
      .filter(({ event }) => !isPartialText(event))
      .map((envelope) => ({ ...envelope, event: withoutAudio(envelope.event) }))
    // A client repeats its events after a failure. Only new ones count towards the quota and the limits of a call.
    const newEvents = await agentEvents.findNew(account_sid, events)
    const admitted = await quotas.admit('agent events', account_sid, newEvents.length)
    const receipt = await agentEvents.store(account_sid, newEvents.slice(0, admitted))
    const calls = [...new Set(events.map(({ call_sid }) => call_sid))].map((call_sid) => ({ account_sid, call_sid }))
    await enqueueConversations(database, calls, Date.now() + settlingMs)
    return {
      stored: receipt.stored,
      repeated: receipt.repeated + events.length - newEvents.length,
      dropped: receipt.dropped + newEvents.length - admitted,
      skipped: received.length - events.length,
    }
  }

  const receive = async (account_sid: string, payload: string, signature: string, signal: AbortSignal) => {
    const owner = await verify(account_sid, payload, signature)
    await countRequest(owner)
    intakeEvents.publish({ is: 'received', intake: data, bytes: Buffer.byteLength(payload) })
    return queue.run(owner, (runStep) => runStep(() => store(owner, payload)), signal)
  }

  return {
    'POST /patchbay/Accounts/:account_sid/ConversationEvents': async ({
      params: { account_sid },
      body: { payload, signature },
      signal,
    }) => {
      try {
        const receipt = await receive(account_sid, payload, signature, signal)
        publishReceipt(receipt)
        return ok(receipt)
      } catch (error) {
        const reason = getRejectionReason(toApiError(error).status)
        intakeEvents.publish({ is: 'request_rejected', intake: data, reason })
        throw error
      }
    },
  }
}
