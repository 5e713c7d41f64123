import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { enqueueConversations } from '@patchbay/server/call-data/conversations/conversation-queue'
import { createUnfinishedPath } from '@patchbay/server/call-data/recordings/file-recordings'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { type Caller, member, type TestApi } from '@patchbay/testkit/test-api'
import { firstCallMs, type Tenant } from '../deletion-support.ts'
import { alertRecord, callRecord, nanosecondsAt, seenMessage, storeTrace } from '../fixtures.ts'
import { say } from '../transcript-support.ts'
import { expectDone } from './delete-marked.ts'

/** Stores call data of all kinds, with a mark in each. */

/** A call with everything that is stored of it. */
export interface MarkedCall extends Tenant {
  call_sid: string
  /** Path of the recording below its owner. */
  recording: string
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** Texts of a call do not compress to less than a mark. */
const sentence = (mark: string): string => `My name is ${mark}, and I was born in ${randomUUID()}.`

const storeRecording = async ({ services }: TestApi, account_sid: string, call_sid: string, mark: string) => {
  const file = await createUnfinishedPath(services.configuration.dataDir)
  await writeFile(file, sentence(mark))
  const day = new Date(firstCallMs).toISOString().slice(0, 10)
  const name = { call_sid, day, format: 'mp3' } as const
  await services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: randomUUID() })
  return `/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/mp3`
}

const sendEvents = async ({ admin, app }: TestApi, account_sid: string, call_sid: string, mark: string) => {
  const secret = member(await admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  const at = firstCallMs + 1000
  const payload = JSON.stringify([
    { call_sid, at, seq: 1, event: { type: 'user_transcript', transcript: sentence(mark) } },
  ])
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/v1/patchbay/Accounts/${account_sid}/ConversationEvents`,
    headers: { 'content-type': 'application/json', 'jambonz-signature': signPayload(payload, secret) },
    payload,
  })
  expectDone({ status: statusCode, body: undefined, text: body, headers: {} })
}

const computeConversation = async (api: TestApi, account_sid: string, call_sid: string) => {
  const { database } = api.test
  await enqueueConversations(database, [{ account_sid, call_sid }], 0)
  const onBackgroundError = (error: unknown) => {
    throw error
  }
  await createConversationJob({ database, sources: api.services, onBackgroundError, now: Date.now })()
}

/** Stores a call with its trace, log line, SIP, alert, agent events, recording, conversation, transcript, and review. */
export const storeMarkedCall = async (
  api: TestApi,
  { account_sid, service_provider_sid }: Tenant,
  mark: string,
  reviewer: Caller = api.admin,
): Promise<MarkedCall> => {
  const call_sid = randomUUID()
  const sip_callid = `${mark}-${randomUUID()}`
  const time = nanosecondsAt(firstCallMs)
  const trace_id = await storeTrace(api, {
    attributes: [text('callSid', call_sid), text('speech', sentence(mark))],
    name: `verb:say{text=${sentence(mark)}}`,
  })
  const recording = await storeRecording(api, account_sid, call_sid, mark)
  const call = { service_provider_sid, call_sid, trace_id, sip_callid, time, from: mark, to: `${mark}@example.org` }
  await api.sinks.calls.store([
    callRecord(account_sid, {
      ...call,
      trunk: mark,
      application_sid: randomUUID(),
      duration: 5,
      recording_url: `/Accounts/${account_sid}${recording}`,
      extra: { note: mark },
    }),
  ])
  await api.sinks.alerts.store([alertRecord({ account_sid, service_provider_sid, time, message: sentence(mark) })])
  await api.sinks.logs.store([{ call_id: call_sid, text: JSON.stringify({ callSid: call_sid, msg: sentence(mark) }) }])
  const message = seenMessage(sip_callid)
  await api.sinks.captures.store([{ ...message, content: Buffer.from(`${message.content.toString()}${mark}`) }])
  await sendEvents(api, account_sid, call_sid, mark)
  await computeConversation(api, account_sid, call_sid)
  await say(api, { account_sid, service_provider_sid }, [sentence(mark), 'Hello'], { call_sid, at: firstCallMs })
  const path = `/patchbay/accounts/${account_sid}/calls/${call_sid}/reviews/own`
  expectDone(await reviewer.put(path, { score: 2, criteria: [], labels: [], note: sentence(mark) }))
  return { account_sid, service_provider_sid, call_sid, recording }
}
