import { findReachedLimits } from '@patchbay/server/resources/shared/call-limits'
import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getRow, type Row } from './fixtures.ts'

/** The prediction of an inbound call names the limits for simultaneous calls that its account has reached. */

let redis: RedisServer
let featureServer: FeatureServer
let api: TestApi
let world: World
const number = '15083084809'
const source = '10.78.1.9'
beforeAll(async () => {
  redis = await startRedis()
  featureServer = await startFeatureServer(redis.port)
  api = await createTestApi(redis.settings)
  world = await createWorld(api)
  const { A } = world.sid
  const create = async (path: string, body: object) => member(await api.admin.post(path, body), 'sid')
  const voip_carrier_sid = await create('/VoipCarriers', { name: 'North', account_sid: A })
  await create('/SipGateways', { voip_carrier_sid, ipv4: source, netmask: 32, inbound: true })
  const { application_sid } = world.things.A
  await create('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
})
afterAll(async () => {
  await api.close()
  await featureServer.close()
  await redis.stop()
})

const findLimits = async (caller: Caller): Promise<Row[]> => {
  const query = new URLSearchParams({ source, number, realm: '3.3.3.3' })
  const { concerns } = getRow(await caller.get(`/patchbay/inbound-routing?${query.toString()}`)) as { concerns: Row[] }
  return concerns.filter(({ is }) => is === 'limit_reached')
}

const setLimit = async (owner: string, quantity: number) => {
  const { status } = await api.admin.post(`${owner}/Limits`, { category: 'voice_call_session', quantity })
  expect(status).toBe(201)
}

test('names the reached limits of the account of the call and of its provider, without figures of the provider to the account', async () => {
  const { A, A2, B, P } = world.sid
  const [ofA, ofP] = [await signedIn(api, world.users['user of A']), await signedIn(api, world.users['user of P'])]
  await featureServer.calls(A, 2)
  await featureServer.calls(A2, 1)
  await featureServer.calls(B, 5)
  await setLimit(`/Accounts/${A2}`, 1)
  await setLimit(`/Accounts/${A}`, 3)
  expect(await findLimits(ofP)).toEqual([])

  await setLimit(`/Accounts/${A}`, 2)
  const account = { is: 'limit_reached', of: 'account', used: 2, quantity: 2 }
  expect(await findLimits(ofA)).toEqual([account])
  expect(await findLimits(ofP)).toEqual([account])

  await setLimit(`/ServiceProviders/${P}`, 3)
  const provider = { is: 'limit_reached', of: 'service_provider', used: 3, quantity: 3 }
  expect(await findLimits(ofP)).toEqual([account, provider])
  expect(await findLimits(ofA)).toEqual([account, { ...provider, used: null, quantity: null }])

  // A limit of 0 is none.
  await setLimit(`/Accounts/${A}`, 0)
  expect(await findLimits(ofP)).toEqual([provider])
})

test('names no limit if the calls in progress cannot be counted', async () => {
  const { A, P } = world.sid
  const owner = { account_sid: A, service_provider_sid: P }
  const { database } = api.test
  const counted = new Map([[A, 9]])
  await setLimit(`/Accounts/${A}`, 9)
  const limits = await findReachedLimits({ database, liveCalls: { countInProgress: async () => counted } }, owner)
  expect(limits).toMatchObject([{ of: 'account', used: 9 }, { of: 'service_provider' }])
  const countInProgress = () => Promise.reject(new Error('gone'))
  expect(await findReachedLimits({ database, liveCalls: { countInProgress } }, owner)).toEqual([])
})
