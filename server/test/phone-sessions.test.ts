import { randomUUID } from 'node:crypto'
import type { PhoneSession } from '@patchbay/contract/phone-sessions'
import { createPhoneClientName, phoneLimits } from '@patchbay/contract/shared/phone-clients'
import { listExtensions } from '@patchbay/server/app/console-features'
import { createPhoneClientCleanup } from '@patchbay/server/jobs/delete-phone-clients'
import { maxPhoneSessionsPerMinute } from '@patchbay/server/resources/clients/phone-session-routes'
import { readByPlatform } from '@patchbay/testkit/crash/platform-decrypt'
import { type Caller, createTestApi, member, testConfiguration } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Temporary SIP clients for calls from the browser. */

const PHONE_SBC_URLS = 'wss://sbc1.example.org:8443,wss://sbc2.example.org'
const { api, world } = await openTestWorld({ PHONE_SBC_URLS })
const { db } = api.test.database

const createAccount = async (more: object = { sip_realm: `${randomUUID()}.example.org` }) => {
  const account_sid = await api.account(world.sid.P, more)
  const hook = { url: 'https://app.example.org' }
  const application = { name: randomUUID(), account_sid, call_hook: hook, call_status_hook: hook }
  return { account_sid, application_sid: member(await api.admin.post('/Applications', application), 'sid') }
}

const start = (application_sid: string, caller: Caller = api.admin) =>
  caller.post(`/patchbay/applications/${application_sid}/phone-sessions`)

const started = async (application_sid: string, caller: Caller = api.admin): Promise<PhoneSession> => {
  const answer = await start(application_sid, caller)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body as PhoneSession
}

const listClients = async (account_sid: string) =>
  db.selectFrom('clients').selectAll().where('account_sid', '=', account_sid).execute()

const deleteExpired = (now: number) => createPhoneClientCleanup({ ...api.services, now: () => now })()

test('a session is a SIP client that the platform accepts, and that can only call applications', async () => {
  const sip_realm = `${randomUUID()}.example.org`
  const { account_sid, application_sid } = await createAccount({ sip_realm })
  const before = Date.now()
  const { password, username, client_sid, expires_at, ...session } = await started(application_sid)
  expect(session).toEqual({
    realm: sip_realm,
    uri: `sip:app-${application_sid}@${sip_realm}`,
    sbc_urls: ['wss://sbc1.example.org:8443', 'wss://sbc2.example.org'],
  })
  expect(username).toMatch(/^patchbay-phone-[\da-z]{6}-[\da-f]{16}$/)
  expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(phoneLimits.lifetimeMs)
  const rows = await listClients(account_sid)
  expect(rows).toMatchObject([
    {
      client_sid,
      username,
      is_active: 1,
      allow_direct_app_calling: 1,
      allow_direct_queue_calling: 0,
      allow_direct_user_calling: 0,
    },
  ])
  expect(readByPlatform(rows[0]?.password ?? null)).toBe(password)
  // The secret is in no other response.
  expect((await api.admin.get(`/Clients/${client_sid}`)).text).not.toContain(password)
  const { username: second, password: other } = await started(application_sid)
  expect(new Set([username, second, password, other]).size).toBe(4)
})

test('the user who has called is in the audit trail, without the password', async () => {
  const ofA = await signedIn(api, world.users['user of A'])
  const { client_sid, username, password } = await started(world.things.A.application_sid, ofA)
  expect((await ofA.delete(`/Clients/${client_sid}`)).status).toBe(204)
  const ofP = await signedIn(api, world.users['user of P'])
  const trail = await ofP.get(`/patchbay/audit-trail?page=1&count=25&kind=client&sid=${client_sid}`)
  const entries = getRow(trail)['data'] as Row[]
  expect(entries.map(({ action, name, account_sid }) => [action, name, account_sid])).toEqual(
    ['delete', 'create'].map((action) => [action, username, world.sid.A]),
  )
  expect(trail.text).not.toContain(password)
})

describe('a session is rejected', () => {
  test('if the server has no address of an SBC', async () => {
    const without = await createTestApi()
    const account_sid = await without.account(await without.provider())
    const hook = { url: 'https://app.example.org' }
    const application = { name: 'a', account_sid, call_hook: hook, call_status_hook: hook }
    const sid = member(await without.admin.post('/Applications', application), 'sid')
    expect(statusAndMessage(await without.admin.post(`/patchbay/applications/${sid}/phone-sessions`))).toEqual([
      400,
      'Calls from the browser are not configured (PHONE_SBC_URLS).',
    ])
    await without.close()
  })

  test('if the account has no SIP realm, or the application has no account', async () => {
    const { application_sid } = await createAccount({})
    expect(statusAndMessage(await start(application_sid))).toEqual([
      400,
      'The account has no SIP realm. SIP clients need one to call',
    ])
    await db
      .updateTable('applications')
      .set({ account_sid: null })
      .where('application_sid', '=', application_sid)
      .execute()
    expect(statusAndMessage(await start(application_sid))).toEqual([
      400,
      'The application belongs to no account, so no SIP client can call it',
    ])
  })

  test('if the account has the maximum number of sessions, until they end or expire', async () => {
    const { account_sid, application_sid } = await createAccount()
    const now = Date.now()
    const names = Array.from({ length: phoneLimits.perAccount }, (_, index) =>
      createPhoneClientName(now + 60_000, index.toString(16).padStart(16, '0')),
    )
    const sids = names.map(() => randomUUID())
    await db
      .insertInto('clients')
      .values(names.map((username, index) => ({ client_sid: sids[index] ?? '', account_sid, username })))
      .execute()
    const answer = await start(application_sid)
    expect(statusAndMessage(answer)).toEqual([
      429,
      'The account has 20 calls from browsers that have just started. Try again in a few minutes.',
    ])
    expect((await listClients(account_sid)).length).toBe(phoneLimits.perAccount)
    await api.admin.delete(`/Clients/${sids[0]}`)
    expect((await start(application_sid)).status).toBe(201)
    expect((await start(application_sid)).status).toBe(429)
    // Expired clients do not count, also before the job has deleted them.
    const expired = createPhoneClientName(now - 1000, '0123456789abcdef')
    await db
      .updateTable('clients')
      .set({ username: expired })
      .where('client_sid', '=', sids[1] ?? '')
      .execute()
    expect((await start(application_sid)).status).toBe(201)
  })

  test('if the account has started the maximum number in a minute', async () => {
    const limited = await createTestApi({ PHONE_SBC_URLS, DISABLE_RATE_LIMITS: '0' })
    const account_sid = await limited.account(await limited.provider(), { sip_realm: 'sip.example.org' })
    const hook = { url: 'https://app.example.org' }
    const application = { name: 'a', account_sid, call_hook: hook, call_status_hook: hook }
    const sid = member(await limited.admin.post('/Applications', application), 'sid')
    const statuses = []
    for (let count = 0; count <= maxPhoneSessionsPerMinute.account; count += 1) {
      const answer = await limited.admin.post(`/patchbay/applications/${sid}/phone-sessions`)
      statuses.push(answer.status)
      if (answer.status === 201) await limited.admin.delete(`/Clients/${member(answer, 'client_sid')}`)
    }
    expect(statuses.filter((status) => status === 201).length).toBe(maxPhoneSessionsPerMinute.account)
    expect(statuses.at(-1)).toBe(429)
    await limited.close()
  })
})

describe('the job', () => {
  test('deletes expired clients only, and records it', async () => {
    const { account_sid, application_sid } = await createAccount()
    const { client_sid, expires_at } = await started(application_sid)
    for (const username of ['alice', 'patchbay-phone-', 'patchbay-phone-zzzzzz'])
      await api.admin.post('/Clients', { account_sid, username })
    const expiry = Date.parse(expires_at)
    await deleteExpired(expiry - 1000)
    expect((await listClients(account_sid)).length).toBe(4)
    await deleteExpired(expiry)
    expect((await listClients(account_sid)).map(({ username }) => username)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^patchbay-phone-[\da-z]{6}-/)]),
    )
    expect((await listClients(account_sid)).length).toBe(3)
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=client&sid=${client_sid}`)
    expect((getRow(trail)['data'] as Row[]).map(({ action }) => action)).toEqual(['delete', 'create'])
    await deleteExpired(expiry)
  })

  test('continues with the next run if there are many', async () => {
    const { account_sid } = await createAccount()
    const now = Date.now()
    const clients = Array.from({ length: 101 }, (_, index) => ({
      client_sid: randomUUID(),
      account_sid,
      username: createPhoneClientName(now - 1000, index.toString(16).padStart(16, '0')),
    }))
    await db.insertInto('clients').values(clients).execute()
    await deleteExpired(now)
    expect((await listClients(account_sid)).length).toBe(1)
    await deleteExpired(now)
    expect(await listClients(account_sid)).toEqual([])
  })
})

test('an account with a session can be deleted, and nothing of the session remains', async () => {
  const { account_sid, application_sid } = await createAccount()
  const { client_sid } = await started(application_sid)
  expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  expect(await listClients(account_sid)).toEqual([])
  expect((await api.admin.delete(`/Clients/${client_sid}`)).status).toBe(404)
  await deleteExpired(Date.now() + 2 * phoneLimits.lifetimeMs)
})

test('other SIP clients cannot have the names of phone clients, because those are deleted', async () => {
  const { account_sid } = await createAccount()
  const username = createPhoneClientName(Date.now(), '0123456789abcdef')
  const reserved = [400, 'Names of this form are reserved for calls from the browser']
  expect(statusAndMessage(await api.admin.post('/Clients', { account_sid, username }))).toEqual(reserved)
  const client_sid = member(await api.admin.post('/Clients', { account_sid, username: 'alice' }), 'sid')
  expect(statusAndMessage(await api.admin.put(`/Clients/${client_sid}`, { username }))).toEqual(reserved)
  expect((await listClients(account_sid)).map((row) => row.username)).toEqual(['alice'])
})

test('the server announces the endpoint only if an SBC is configured', () => {
  expect(listExtensions(testConfiguration())).not.toContain('phone-sessions')
  expect(listExtensions(testConfiguration({ PHONE_SBC_URLS }))).toContain('phone-sessions')
})
