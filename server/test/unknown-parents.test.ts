import { randomUUID } from 'node:crypto'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { statusAndMessage } from './fixtures.ts'

/** Lists and records below something that does not exist, as the platform's API answers. */

const { api, world } = await openTestWorld()
const unknown = randomUUID()

test.each([
  [`/Accounts/${unknown}/Queues`, 'insufficient permissions'],
  [`/ServiceProviders/${unknown}/Accounts`, 'insufficient permissions'],
  [`/SipGateways?voip_carrier_sid=${unknown}`, 'insufficient privileges'],
  [`/SmppGateways?voip_carrier_sid=${unknown}`, 'insufficient privileges'],
])('GET %s is an empty list for admins, and denied to others', async (path, msg) => {
  for (const admin of [api.admin, api.as(world.keys['admin key'].token)])
    expect(await admin.get(path)).toMatchObject({ status: 200, body: [] })
  for (const name of ['user of P', 'user of A'] as const)
    expect(statusAndMessage(await (await signedIn(api, world.users[name])).get(path))).toEqual([403, msg])
})

test('an unknown speech credential, like one of another tenant, is 404 for every caller', async () => {
  const { A, B } = world.things
  for (const [name, own] of [
    ['user of A', `Accounts/${world.sid.A}`],
    ['user of P', `ServiceProviders/${world.sid.P}`],
  ] as const) {
    const caller = await signedIn(api, world.users[name])
    for (const sid of [unknown, B.speech_credential_sid]) {
      const path = `/${own}/SpeechCredentials/${sid}`
      const answers = [
        await caller.get(path),
        await caller.get(`${path}/test`),
        await caller.put(path, { use_for_tts: 1, created_at: 'a guess' }),
        await caller.delete(path),
      ]
      expect([name, answers.map(statusAndMessage)]).toEqual([name, answers.map(() => [404, 'Not Found'])])
    }
  }
  const ofA2 = await signedIn(api, world.users['user of A2'])
  const sibling = await ofA2.get(`/Accounts/${world.sid.A2}/SpeechCredentials/${A.speech_credential_sid}`)
  expect(statusAndMessage(sibling)).toEqual([404, 'Not Found'])
  const elsewhere = await ofA2.get(`/Accounts/${world.sid.A}/SpeechCredentials/${A.speech_credential_sid}`)
  expect(statusAndMessage(elsewhere)).toEqual([403, 'insufficient privileges'])
})

test('a speech credential that a provider shares is 403 for the users of its accounts, who see it in their list', async () => {
  const collection = `/ServiceProviders/${world.sid.P}/SpeechCredentials`
  const body = { vendor: 'nvidia', riva_server_uri: 'riva.example.org:50051' }
  const created = await api.admin.post(collection, body)
  const path = `${collection}/${String(Reflect.get(Object(created.body), 'sid'))}`
  const ofA = await signedIn(api, world.users['user of A'])
  expect(statusAndMessage(await ofA.get(path))).toEqual([403, 'insufficient privileges'])
})

test('blanks in the list of private networks are removed, and an empty item is rejected by its name', async () => {
  const save = (private_network_cidr: string) => api.admin.post('/SystemInformation', { private_network_cidr })
  expect(await save('10.0.0.0/8, 192.168.0.0/16 ')).toMatchObject({
    status: 201,
    body: { private_network_cidr: '10.0.0.0/8,192.168.0.0/16' },
  })
  for (const list of ['10.0.0.0/8,,', '10.0.0.0/8, ,192.168.0.1'])
    expect(await save(list)).toMatchObject({
      status: 400,
      body: { msg: 'Invalid private network CIDR ""', field: 'private_network_cidr' },
    })
  expect((await api.admin.get('/SystemInformation')).body).toMatchObject({
    private_network_cidr: '10.0.0.0/8,192.168.0.0/16',
  })
})
