import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { parseBlocks, readDocument, repositoryRoot } from '@patchbay/testkit/docs/documentation'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/** The example of docs/how-to/send-agent-events.md, with the published SDK of jambonz. */

interface ForwardModule {
  forwardEvent: (call_sid: string, event: object) => Promise<Response>
}

interface ReceiveModule {
  verify: (request: object, response: object, next: () => void) => void
  receive: (request: object, response: object) => void
}

let api: TestApi
/** Verifies signatures with the SDK. */
let verifier: WebhookApp
let folder: string
let account_sid: string
let secret: string
let receiver: ReceiveModule

/** Loads a module of the folder, which Vite must not bundle. */
const load = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)) as T

beforeAll(async () => {
  api = await createTestApi()
  account_sid = await api.account(await api.provider())
  secret = member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  verifier = await startWebhookApp(secret)
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'patchbay-events-'))
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'))
  const [forward, receive] = parseBlocks(readDocument('docs/how-to/send-agent-events.md')).filter(
    ({ language }) => language === 'js',
  )
  await writeFile(join(folder, 'forward-event.mjs'), forward?.content ?? '')
  await writeFile(join(folder, 'receive.mjs'), receive?.content ?? '')
  await writeFile(join(folder, 'forward-elsewhere.mjs'), forward?.content ?? '')
  vi.stubEnv('ACCOUNT_SID', account_sid)
  vi.stubEnv('WEBHOOK_SECRET', secret)
  vi.stubEnv('PATCHBAY_URL', address)
  receiver = await load<ReceiveModule>('receive.mjs')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
  verifier.close()
  await api.close()
})

/** Delivers an event as the platform does, and returns the status of the response. */
const deliver = (event: object, header: string): number => {
  let status = 0
  const request = { url: '/agent-events', body: event, get: () => header }
  const response = {
    sendStatus: (code: number) => {
      status = code
    },
  }
  receiver.verify(request, response, () => receiver.receive(request, response))
  return status
}

test('the example forwards the events that the platform signs, in their order', async () => {
  const call_sid = randomUUID()
  const turns = Array.from({ length: 5 }, (_, at) => ({
    type: 'turn_end',
    transcript: `Sentence ${at}`,
    response: 'Yes',
    call_sid,
    account_sid,
  }))
  for (const event of turns) expect(deliver(event, signPayload(JSON.stringify(event), secret))).toBe(200)
  await vi.waitFor(async () => expect(await api.services.agentEvents.read(account_sid, call_sid)).toHaveLength(5))
  const stored = await api.services.agentEvents.read(account_sid, call_sid)
  expect(stored.map(({ event }) => event)).toEqual(turns)
  expect(Math.abs((stored[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('the SDK rejects an event with another signature, and nothing is forwarded', () => {
  const event = { type: 'turn_end', call_sid: randomUUID() }
  expect(() => deliver(event, signPayload(JSON.stringify(event), 'another secret'))).toThrow(/signature/)
})

test('the signature of the example is that of the platform: the SDK accepts it', async () => {
  vi.stubEnv('PATCHBAY_URL', verifier.origin)
  const { forwardEvent } = await load<ForwardModule>('forward-elsewhere.mjs')
  const call_sid = randomUUID()
  expect((await forwardEvent(call_sid, { type: 'user_interruption' })).status).toBe(200)
  expect(verifier.heard[0]?.body).toMatchObject({ call_sid, event: { type: 'user_interruption' } })
  verifier.heard.length = 0
})

test('the intake accepts the signature of the example', async () => {
  const { forwardEvent } = await load<ForwardModule>('forward-event.mjs')
  const response = await forwardEvent(randomUUID(), { type: 'user_interruption' })
  expect([response.status, await response.json()]).toEqual([200, { stored: 1, repeated: 0, dropped: 0, skipped: 0 }])
})
