import { randomInt, randomUUID } from 'node:crypto'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { type Answer, member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { storeCall } from '../fixtures.ts'
import { createMark, deleteMarked, expectDone } from './delete-marked.ts'
import { overwriteFreedPages } from './stored-values.ts'

/** Deletions of single records, and changes of values, leave nothing behind. */

await overwriteFreedPages()
const api = await openTestApi()
const { admin } = api
const service_provider_sid = await api.provider()
const account_sid = await api.account(service_provider_sid)
const account = `/Accounts/${account_sid}`

const create = async (path: string, body: object, caller = admin): Promise<string> => {
  const answer: Answer = await caller.post(path, body)
  expectDone(answer)
  return member(answer, 'sid')
}
const deleting =
  (path: string, caller = admin) =>
  async () =>
    expectDone(await caller.delete(path))
const putting =
  (path: string, body: object, caller = admin) =>
  async () =>
    expectDone(await caller.put(path, body))

const hook = (mark: string) => ({ url: `https://${mark}.example.org`, username: mark, password: `${mark}-password` })

/** Each creates a record with a mark, and returns its deletion. */
const records: Readonly<Record<string, (mark: string) => Promise<() => Promise<unknown>>>> = {
  async application(mark) {
    const hooks = { call_hook: hook(mark), call_status_hook: hook(mark) }
    return deleting(`/Applications/${await create('/Applications', { name: mark, account_sid, ...hooks })}`)
  },
  async carrier(mark) {
    const body = { name: mark, account_sid, register_username: mark, register_password: `${mark}-password` }
    const voip_carrier_sid = await create('/VoipCarriers', { ...body, register_sip_realm: `${mark}.example.org` })
    await create('/SipGateways', { voip_carrier_sid, ipv4: `${mark}.example.org`, inbound: 0, outbound: 1 })
    return deleting(`/VoipCarriers/${voip_carrier_sid}`)
  },
  async 'SIP client'(mark) {
    const sid = await create('/Clients', { account_sid, username: mark, password: 'Pass-of-a-cl1ent' })
    return deleting(`/Clients/${sid}`)
  },
  async 'MS Teams tenant'(mark) {
    const tenant = { account_sid, service_provider_sid, tenant_fqdn: `${mark}.example.org` }
    return deleting(`/MicrosoftTeamsTenants/${await create('/MicrosoftTeamsTenants', tenant)}`)
  },
  async 'routing table'(mark) {
    return deleting(
      `/Lcrs/${await create('/Lcrs', { name: mark, account_sid: await api.account(service_provider_sid) })}`,
    )
  },
  async 'speech credential'(mark) {
    const body = { vendor: 'deepgram', label: mark, api_key: `key ${mark}`, use_for_tts: 1, use_for_stt: 1 }
    return deleting(`${account}/SpeechCredentials/${await create(`${account}/SpeechCredentials`, body)}`)
  },
  async 'Google custom voice'(mark) {
    const credentials = `${account}/SpeechCredentials`
    const service_key = JSON.stringify({ client_email: 'nobody@example.org', private_key: 'none' })
    const speech_credential_sid = await create(credentials, { vendor: 'google', service_key })
    const voice = { speech_credential_sid, name: mark, model: mark, use_voice_cloning_key: 1, voice_cloning_key: mark }
    return deleting(`/GoogleCustomVoices/${await create('/GoogleCustomVoices', voice)}`)
  },
  async 'API key'(mark) {
    return deleting(`/ApiKeys/${await create('/ApiKeys', { account_sid, name: mark })}`)
  },
  async 'alert destination'(mark) {
    const body = { account_sid, name: mark, kind: 'webhook', target: `https://${mark}.example.org/alerts` }
    return deleting(`/patchbay/alert-destinations/${await create('/patchbay/alert-destinations', body)}`)
  },
  async 'saved view'(mark) {
    const view = { screen: 'recent-calls', name: mark, search: { answered: 'false' } }
    return deleting(`/patchbay/saved-views/${await create('/patchbay/saved-views', view)}`)
  },
  async 'link to a shared call'(mark) {
    const call_sid = await storeCall(api, { account_sid, service_provider_sid })
    const body = { expires_in_hours: 24, includes_recording: 0, note: mark }
    const sid = await create(`/patchbay${account}/Calls/${call_sid}/Shares`, body)
    return deleting(`/patchbay${account}/CallShares/${sid}`)
  },
  async 'expired link to a shared call'(mark) {
    await records['link to a shared call']?.(mark)
    const { database } = api.test
    await database.db.updateTable('patchbay_call_shares').set({ expires_at: 1 }).where('note', '=', mark).execute()
    return () => removeBefore(database, 'calls', 2)
  },
  async 'registration that was not confirmed'(mark) {
    const { database } = api.test
    const row = { user_sid: randomUUID(), email: `${mark}@example.org`, tries_left: 5, expires_at: 1 }
    await database.db.insertInto('patchbay_registrations').values(row).execute()
    return () => removeBefore(database, 'signIns', 2)
  },
  async 'offer to link a sign-in'(mark) {
    const { database } = api.test
    const ticket = { ticket_hash: mark, user_sid: randomUUID(), provider: 'github', provider_id: mark }
    const person = { provider_userid: mark, email: `${mark}@example.org`, tries_left: 5, expires_at: 1 }
    await database.db
      .insertInto('patchbay_link_tickets')
      .values({ ...ticket, ...person })
      .execute()
    return () => removeBefore(database, 'signIns', 2)
  },
  async review(mark) {
    const path = `/patchbay/accounts/${account_sid}/calls/${await storeCall(api, { account_sid, service_provider_sid })}/reviews/own`
    await putting(path, { score: 3, criteria: [], labels: [], note: mark })()
    return deleting(path)
  },
  async 'value of an account that is replaced'(mark) {
    const bucket_credential = { vendor: 'aws_s3', name: mark, region: 'eu-west-1', access_key_id: mark }
    const secrets = { bucket_credential: { ...bucket_credential, secret_access_key: `${mark}-key` } }
    await putting(account, { name: mark, registration_hook: hook(mark), ...secrets })()
    return putting(account, { name: randomUUID(), registration_hook: null, bucket_credential: null })
  },
  async 'pattern of masking rules that is replaced'(mark) {
    const path = `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`
    await putting(path, { patterns: [{ name: mark, expression: mark, replacement: mark }] })()
    return putting(path, { patterns: [] })
  },
  async 'password and address of a user that are replaced'(mark) {
    const user = await api.user({ account_sid })
    await putting(`/Users/${user.sid}`, { email: `${mark}@example.org`, initial_password: 'An0ther-password' })()
    return putting(`/Users/${user.sid}`, { email: `${randomUUID()}@example.org`, initial_password: 'A-third-passw0rd' })
  },
}

test.each(Object.entries(records))('a deletion leaves nothing in tables and files: %s', async (_name, fill) => {
  const mark = createMark()
  const remove = await fill(mark)
  // A page without rows is overwritten in any case.
  await fill(createMark())
  expect(await deleteMarked(api, mark, remove)).toEqual([])
})

test('deleting a phone number leaves nothing in tables and files', async () => {
  const createNumber = async (number: string) =>
    deleting(`/PhoneNumbers/${await create('/PhoneNumbers', { number, account_sid, service_provider_sid })}`)
  const number = String(randomInt(10 ** 9, 10 ** 10)).repeat(2)
  const remove = await createNumber(number)
  await createNumber(String(randomInt(10 ** 9, 10 ** 10)).repeat(2))
  expect(await deleteMarked(api, number, remove)).toEqual([])
})

test('deleting a user leaves nothing of a user who did nothing that others see', async () => {
  const mark = createMark()
  const answer = await admin.post('/Users', {
    name: mark,
    email: `${mark}@example.org`,
    initial_password: 'A-first-passw0rd',
    account_sid,
  })
  expectDone(answer)
  const { body } = await api.signIn(mark, 'A-first-passw0rd')
  const user = api.as(body.token)
  expectDone(
    await user.put(`/Users/${member(answer, 'user_sid')}`, {
      old_password: 'A-first-passw0rd',
      new_password: 'A-sec0nd-password',
    }),
  )
  const view = { screen: 'recent-calls', name: 'A view of a user', search: { answered: 'false' } }
  expectDone(await user.post('/patchbay/saved-views', view))
  expect(await deleteMarked(api, mark, deleting(`/Users/${member(answer, 'user_sid')}`))).toEqual([])
  expect(await api.signIn(mark, 'A-sec0nd-password')).toMatchObject({ status: 403 })
})
