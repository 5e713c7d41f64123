import { randomUUID } from 'node:crypto'
import { splitKey } from '@patchbay/contract/api/endpoint'
import { type LiveCalls, noLiveCalls } from '@patchbay/server/adapters/live-calls/live-calls'
import { startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { startStripe } from '@patchbay/testkit/fakes/stripe/stripe'
import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Answer, type Caller, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, expired, type KeyName, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { afterAll } from 'vitest'
import { callRecord, getMessage } from '../fixtures.ts'
import { type CallerName, includes, keys } from './callers.ts'
import { type EndpointName, getOutcome, type Rule } from './rule.ts'

/** The app under test with everything that the rules need, and the requests of its callers. */

export interface MatrixWorld extends World {
  api: TestApi
  /** True for the world that all tests of a file use. Callers with permission change only worlds of their own. */
  isShared: boolean
}

export interface Request {
  path: string
  body?: object
}

/** Simulates an active call for every sid, with which all commands succeed. */
const findAnyCall = (featureServer: FeatureServer): LiveCalls => {
  const { url, heard } = featureServer
  featureServer.answer = (response) => {
    const isChange = heard.at(-1)?.path.startsWith('/v1/updateCall/')
    return isChange ? response.writeHead(202).end() : response.writeHead(201).end(JSON.stringify({ sid: randomUUID() }))
  }
  return {
    ...noLiveCalls,
    find: (_account_sid, call_sid) => Promise.resolve({ call_sid, members: { serviceUrl: url }, startedAt: undefined }),
    remove: () => Promise.resolve(true),
    featureServers: () => Promise.resolve([url]),
  }
}

export const createMatrixWorld = async (api: TestApi): Promise<MatrixWorld> => ({
  ...(await createWorld(api)),
  api,
  isShared: false,
})

/** Starts the app for the tests of a file, with one call of each account. */
export const openMatrix = async (): Promise<MatrixWorld> => {
  const vendorServer = await startFakeVendorServer()
  const stripe = await startStripe()
  stripe.sells()
  const featureServer = await startFeatureServer(0)
  const api = await createTestApi(
    {
      ENABLE_FORGOT_PASSWORD: '1',
      JAMBONES_HOSTING: '1',
      PUBLIC_URL: 'https://console.example.org',
      PRIVATE_NETWORKS: loopbackNetwork,
      PHONE_SBC_URLS: 'wss://sbc.example.org:8443',
      ...stripe.settings,
      // The Nvidia Riva server that each account names.
      VENDOR_ADDRESSES: `*.example.org=${vendorServer.addresses['riva.example.com']}`,
    },
    undefined,
    { liveCalls: findAnyCall(featureServer) },
  )
  afterAll(async () => {
    await api.close()
    await vendorServer.stop()
    stripe.close()
    await featureServer.close()
  })
  const world = await createMatrixWorld(api)
  const { A, A2, B, P, Q } = world.sid
  const owners = [
    { account_sid: A, service_provider_sid: P },
    { account_sid: A2, service_provider_sid: P },
    { account_sid: B, service_provider_sid: Q },
  ]
  const records = owners.map((owner) => callRecord(owner.account_sid, { ...owner, from: owner.account_sid }))
  await api.sinks.calls.store(records)
  return { ...world, isShared: true }
}

/** Returns a caller of this kind. A user starts a new session. */
export const getCaller = ({ api, users, keys: apiKeys }: MatrixWorld, name: CallerName): Promise<Caller> | Caller => {
  if (name === 'nobody') return api.nobody
  if (name === 'a bad token') return api.as('no-token-of-anyone')
  if (name === 'an expired token') return expired(api, users['user of A'])
  // The names of signed-in callers are the names of the world's users and keys.
  return includes(keys, name) ? api.as(apiKeys[name as KeyName].token) : signedIn(api, users[name as UserName])
}

/** Returns the request of a rule for a caller. */
export const createRequest = async (rule: Rule, world: MatrixWorld, name: CallerName): Promise<Request> => {
  const request = await rule.call(world, name)
  return typeof request === 'string' ? { path: request } : request
}

export const send = (caller: Caller, key: EndpointName, { path, body }: Request): Promise<Answer> => {
  const sendBy = {
    GET: () => caller.get(path),
    POST: () => caller.post(path, body),
    PUT: () => caller.put(path, body),
    DELETE: () => caller.delete(path, body),
  }
  return sendBy[splitKey(key).method]()
}

/** Sends the request of a rule as a caller of this kind. */
export const call = async (key: EndpointName, rule: Rule, world: MatrixWorld, name: CallerName): Promise<Answer> =>
  send(await getCaller(world, name), key, await createRequest(rule, world, name))

/** Returns the difference between a response and the rule for a caller, or undefined if it matches. */
export const findMismatch = (answer: Answer, rule: Rule, world: MatrixWorld, name: CallerName): string | undefined => {
  const [status, msg] = getOutcome(name, rule, world)
  const message = answer.status >= 400 ? getMessage(answer) : undefined
  return answer.status === status && message === msg
    ? undefined
    : `${name}: expected ${status} ${msg ?? ''}, got ${answer.status} ${typeof message === 'string' ? message : answer.text}`
}
