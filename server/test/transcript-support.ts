import { randomUUID } from 'node:crypto'
import type { FoundPage } from '@patchbay/contract/conversation-search'
import type { Conversation } from '@patchbay/contract/conversations'
import { buildConversation } from '@patchbay/rules/conversations/build-conversation'
import { storeTranscript } from '@patchbay/server/call-data/conversations/transcripts'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import type { Caller, TestApi } from '@patchbay/testkit/test-api'
import { expect } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Transcripts of calls, and searches in them, for tests. */

/** When the calls begin, in milliseconds since the Unix epoch. */
export const at = Date.parse('2026-11-02T10:00:00Z')
export interface Owner {
  account_sid: string
  service_provider_sid: string
}

export const createOwner = async (api: TestApi, service_provider_sid?: string): Promise<Owner> => {
  const provider = service_provider_sid ?? (await api.provider())
  return { account_sid: await api.account(provider), service_provider_sid: provider }
}

const empty = buildConversation({
  spans: [],
  isTraceCut: false,
  call: { startedAt: at, endedAt: at },
  recording: { status: 'unavailable' },
})

/** Returns a conversation in which the caller begins, and each side speaks for ten seconds. */
const toConversation = (utterances: readonly string[]): Conversation => {
  if (empty === undefined) throw new Error('no conversation')
  const turns = utterances.map((text, position) => ({
    speaker: position % 2 === 0 ? ('caller' as const) : ('agent' as const),
    start_ms: position * 10_000,
    start_evidence: 'derived' as const,
    end_ms: position * 10_000 + 9000,
    end_evidence: 'derived' as const,
    text,
    confidence: null,
    voice: null,
    vendor: null,
    language: null,
    interruption: null,
    gap: null,
    tokens: null,
    model: null,
    span_id: null,
  }))
  return { ...empty, turns }
}

/** Stores the transcript of a call. Returns the SID of the call. */
export const say = async (
  api: TestApi,
  { account_sid, service_provider_sid }: Owner,
  utterances: readonly string[],
  more: { call_sid?: string; at?: number; application_sid?: string } = {},
): Promise<string> => {
  const call_sid = more.call_sid ?? randomUUID()
  const call = {
    account_sid,
    service_provider_sid,
    call_sid,
    attempted_at: new Date(more.at ?? at).toISOString(),
    application_sid: more.application_sid ?? null,
    answered: true,
    answered_at: null,
    direction: 'inbound',
    duration: 60,
    from: '15083728299',
    host: null,
    recording_url: null,
    remote_host: null,
    sip_callid: null,
    sip_parent_callid: null,
    sip_status: 200,
    terminated_at: null,
    termination_reason: null,
    to: '15083084809',
    trace_id: null,
    trunk: null,
  }
  await storeTranscript(api.services, { account_sid, call_sid }, call, toConversation(utterances))
  return call_sid
}

export const toPath = (owner: string, q: string, more = '') =>
  `/patchbay/${owner}/ConversationSearch?q=${encodeURIComponent(q)}&page=1&count=25${more}`

export const search = async (
  api: TestApi,
  owner: string,
  q: string,
  more = '',
  caller: Caller = api.admin,
): Promise<FoundPage> => {
  // ClickHouse gets the words from a job.
  if (isClickHouse) await createTranscriptJob(api.services)()
  const answer = await caller.get(toPath(owner, q, more))
  expect(statusAndMessage(answer)).toEqual([200, undefined])
  return getRow(answer) as unknown as FoundPage
}

/** Returns the SIDs of the calls that are found. */
export const find = async (api: TestApi, { account_sid }: Owner, q: string, more = ''): Promise<string[]> =>
  (await search(api, `Accounts/${account_sid}`, q, more)).data.map(({ call_sid }) => call_sid)
