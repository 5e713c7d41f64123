import { randomUUID } from 'node:crypto'
import { createObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { createJaegerTraces } from '@patchbay/server/call-data/traces/jaeger-traces'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import {
  type Behavior,
  behaviorNames,
  behaviors,
  type HostilePeer,
  startHostilePeer,
} from '@patchbay/testkit/peers/hostile-peer'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getRow } from '../fixtures.ts'

/** API responses when servers named by tenants or the operator attack the client. */

let api: TestApi
let peer: HostilePeer
let google: GoogleServer
let account_sid: string
let behavior: Behavior = behaviors['nothing at all']

/** Peers with a public address for clients that may reach no other, with host names from the hosts file. */
let guarded: TestApi

beforeAll(async () => {
  ;[peer, google] = await Promise.all([startHostilePeer(() => behavior), startGoogleServer()])
  const vendorAddresses = { ...google.vendorAddresses, 'storage.googleapis.com': peer.origin }
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, {
    objectStorage: createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses }),
    traces: createJaegerTraces(peer.origin, 0.3),
  })
  guarded = await createTestApi()
})
afterAll(async () => {
  await Promise.all([api.close(), guarded.close()])
  await Promise.all([peer.stop(), google.stop()])
})

/**
 * Silent and slow peers take the time limit of the storage test, 20 s. They are tested with shorter limits elsewhere.
 */
const quick = behaviorNames.filter((name) => !['nothing at all', 'one byte at a time'].includes(name))

const credentials = {
  s3: () => ({ vendor: 's3_compatible', endpoint: peer.origin, name: 'a', access_key_id: 'b', secret_access_key: 'c' }),
  azure: () => ({
    vendor: 'azure',
    name: 'a',
    connection_string: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Yg==;BlobEndpoint=${peer.origin}/a`,
  }),
  google: () => google.credential,
}

describe.each(['s3', 'azure', 'google'] as const)('the storage test of %s', (vendor) => {
  test('fails with a one-line reason for every behavior of the storage', async () => {
    for (const name of quick) {
      behavior = behaviors[name]
      // An account may test its storage only a few times per minute.
      account_sid = await api.account(await api.provider())
      const before = [peer.bytesTaken(), peer.connections()] as const
      const answer = await api.admin.post(`/Accounts/${account_sid}/BucketCredentialTest`, credentials[vendor]())
      expect.soft([answer.status, getRow(answer)['status']], name).toEqual([200, 'failed'])
      expect.soft(String(getRow(answer)['reason']), name).toMatch(/^[^\n]{5,300}$/)
      await peer.untilAbandoned()
      const allowed = Math.max(1, peer.connections() - before[1]) * 13 * 2 ** 20
      expect.soft(peer.bytesTaken() - before[0], name).toBeLessThan(allowed)
    }
  })
})

test('a trace is not found, without a client error, for every behavior of Jaeger', async () => {
  for (const name of behaviorNames) {
    behavior = behaviors[name]
    const path = `/Accounts/${account_sid}/RecentCalls/trace/${randomUUID().replaceAll('-', '')}`
    expect.soft((await api.admin.get(path)).status, name).toBe(404)
  }
})

/** networks.test.ts tests that names of a private network get the same message. */
describe('the message for an unusable host name reveals neither whether it exists nor its address', () => {
  const url = 'http://nobody.invalid/'

  test('for an alert destination, which is stored without being resolved', async () => {
    const path = '/patchbay/alert-destinations'
    const account = await guarded.account(await guarded.provider())
    const requestBody = { name: 'a', account_sid: account, kind: 'webhook', target: url }
    const sid = member(await guarded.admin.post(path, requestBody), 'sid')
    const tried = getRow(await guarded.admin.post(`${path}/${sid}/test`))
    expect(tried['failure']).toBe('The host of the webhook could not be found, or its address is not allowed')
  })

  test('for a storage', async () => {
    const account = await guarded.account(await guarded.provider())
    const credential = { vendor: 's3_compatible', name: 'a', access_key_id: 'b', secret_access_key: 'c' }
    const answer = await guarded.admin.post(`/Accounts/${account}/BucketCredentialTest`, {
      ...credential,
      endpoint: url,
    })
    expect(getRow(answer)['reason']).toBe('The host of the storage could not be found, or its address is not allowed')
  })
})
