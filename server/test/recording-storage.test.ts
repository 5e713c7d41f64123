import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createObjectStorage } from '@patchbay/server/adapters/object-storage/object-storage'
import { maxBucketTestsPerMinute } from '@patchbay/server/resources/accounts/routes'
import { type AzureServer, startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { type S3Server, startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { getPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Caller, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getRow } from './fixtures.ts'

/**
 * POST /Accounts/:sid/BucketCredentialTest (docs/reference/platform-api/tenants.md#test-a-storage), with fake storages
 * that verify every request.
 */

let api: TestApi
let s3: S3Server
let google: GoogleServer
let azure: AzureServer
let provider: string
let account_sid: string

beforeAll(async () => {
  ;[s3, google, azure] = await Promise.all([startS3Server(), startGoogleServer(), startAzureServer()])
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork }, undefined, {
    objectStorage: createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses: google.vendorAddresses }),
  })
})
afterAll(async () => {
  await api.close()
  await Promise.all([s3.stop(), google.stop(), azure.stop()])
})
beforeEach(async () => {
  provider = await api.provider()
  account_sid = await api.account(provider)
})

const tried = (credential: object, caller: Caller = api.admin) =>
  caller.post(`/Accounts/${account_sid}/BucketCredentialTest`, credential)

const keep = async (bucket_credential: object) => {
  expect((await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential })).status).toBe(204)
  return getRow(await api.admin.get(`/Accounts/${account_sid}`))['bucket_credential']
}

const key = /^patchbay-test-[0-9a-f-]{36}\.txt$/
const tags = [{ Key: 'team', Value: 'support' }]

describe('a valid credential', () => {
  test('of an account that is not created yet', async () => {
    const path = `/patchbay/service-providers/${provider}/bucket-credential-test`
    expect((await api.admin.post(path, s3.credential)).body).toEqual({ status: 'ok' })
    expect([...s3.objects.keys()]).toEqual([])
    // There is no stored secret that a masked one could stand for.
    const masked = { ...s3.credential, secret_access_key: 'XXXXXXXX' }
    expect((await api.admin.post(path, masked)).body).not.toEqual({ status: 'ok' })
    const account = await api.user({ service_provider_sid: provider, account_sid })
    expect((await account.caller.post(path, s3.credential)).status).toBe(403)
    const other = await api.user({ service_provider_sid: await api.provider() })
    expect((await other.caller.post(path, s3.credential)).status).toBe(403)
  })

  test('for S3: the test object is deleted afterwards', async () => {
    expect(await tried({ ...s3.credential, tags })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect([...s3.objects.keys()]).toEqual([])
  })

  test('for Google: the test signs in with the service key, and writes, reads, and deletes a tagged object', async () => {
    google.requests.length = 0
    expect(await tried({ ...google.credential, tags })).toMatchObject({ status: 200, body: { status: 'ok' } })
    const [token, start, upload, download, removal, ...more] = google.requests
    const uploads = '/upload/storage/v1/b/recordings/o'
    expect([token, start, upload, more]).toEqual(['POST /token', `POST ${uploads}`, `PUT ${uploads}`, []])
    const name = /^GET .*\/o\/(.*)$/.exec(download ?? '')?.[1] ?? ''
    expect(name).toMatch(key)
    expect(removal).toBe(`DELETE /storage/v1/b/recordings/o/${name}`)
    expect(google.objects.size).toBe(0)
  })

  test('for Azure: requests are signed with the key of the connection string', async () => {
    azure.requests.length = 0
    expect(await tried({ ...azure.credential, tags })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(azure.requests.map((request) => request.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE'])
    expect(azure.objects.size).toBe(0)
  })
})

describe('a stored secret', () => {
  test.each(['s3', 'google', 'azure'] as const)('for %s is used if the request contains its mask', async (vendor) => {
    const { credential } = { s3, google, azure }[vendor]
    const maskedCredential = await keep(credential)
    expect(maskedCredential).not.toEqual(credential)
    expect((await tried(maskedCredential as object)).body).toEqual({ status: 'ok' })
  })

  test('is used together with other changed fields of the form', async () => {
    const maskedCredential = (await keep({ ...s3.credential, name: 'another' })) as object
    expect((await tried(maskedCredential)).body).toMatchObject({ status: 'failed' })
    expect((await tried({ ...maskedCredential, name: s3.credential.name })).body).toEqual({ status: 'ok' })
  })

  test('is not used for another account', async () => {
    const maskedCredential = (await keep(s3.credential)) as object
    account_sid = await api.account(provider)
    expect(await tried(maskedCredential)).toMatchObject({
      status: 400,
      body: { field: 'bucket_credential.secret_access_key' },
    })
  })
})

describe('errors are reported in one line with status 200', () => {
  const getReason = async (credential: object): Promise<unknown> => {
    const { status, body } = await tried(credential)
    expect([status, getRow({ status, body, text: '', headers: {} })['status']]).toEqual([200, 'failed'])
    return getRow({ status, body, text: '', headers: {} })['reason']
  }

  test.each([
    ['no such bucket', { name: 'nowhere' }, /bucket does not exist/],
    ['a wrong secret', { secret_access_key: 'wrong' }, /signature/i],
    ['an unknown access key', { access_key_id: 'wrong' }, /Access Key/],
  ])('API-018 S3: %s', async (_, wrong, reason) => {
    expect(await getReason({ ...s3.credential, ...wrong })).toMatch(reason)
  })

  test('Google: a key of another account, an unknown bucket, and an invalid key', async () => {
    const other = await startGoogleServer()
    await other.stop()
    expect(await getReason(other.credential)).toMatch(/invalid_grant/)
    expect(await getReason({ ...google.credential, name: 'nowhere' })).toBe('The specified bucket does not exist.')
    const service_key = JSON.stringify({ client_email: 'a@b.example', private_key: 'no key' })
    expect(await getReason({ ...google.credential, service_key })).toBe(
      'The private key of the service key cannot be parsed',
    )
  })

  test('Azure: an unknown container, a wrong key, and an invalid connection string', async () => {
    expect(await getReason({ ...azure.credential, name: 'nowhere' })).toMatch(/container does not exist/)
    const wrong = azure.credential.connection_string.replace(/AccountKey=[^;]+/, 'AccountKey=d3Jvbmc=')
    expect(await getReason({ ...azure.credential, connection_string: wrong })).toMatch(/failed to authenticate/)
    expect(await getReason({ ...azure.credential, connection_string: 'nonsense' })).toBe(
      'The connection string cannot be parsed',
    )
  })

  test('connection refused, and unknown host name', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${getPort(server)}`
    server.close()
    await once(server, 'close')
    expect(await getReason({ ...s3.credential, endpoint })).toBe('The host of the storage refused the connection')
    expect(await getReason({ ...s3.credential, endpoint: 'http://nobody.invalid' })).toBe(
      'The host of the storage could not be found, or its address is not allowed',
    )
  })

  test('the vendor none cannot be tested', async () => {
    expect(await getReason({ vendor: 'none' })).toBe('Does not support test for none')
  })
})

describe('internal addresses', () => {
  const metadata = 'http://169.254.169.254'
  test.each([
    ['an address', { endpoint: metadata }],
    ['IPv6', { endpoint: 'http://[::1]:9000' }],
    ['an address of IPv4 in one of IPv6', { endpoint: 'http://[::ffff:10.0.0.1]' }],
    ['a number', { endpoint: 'http://2852039166' }],
    ['a name', { endpoint: 'http://localhost:9000' }],
  ])('%s is not requested: %j', async (_, wrong) => {
    const guarded = await createTestApi()
    try {
      const account = await guarded.account(await guarded.provider())
      const answer = await guarded.admin.post(`/Accounts/${account}/BucketCredentialTest`, {
        ...s3.credential,
        ...wrong,
      })
      expect(answer.body).toEqual({
        status: 'failed',
        reason: expect.stringMatching(/is in a private network\. Use a public address$/) as string,
      })
    } finally {
      await guarded.close()
    }
  })

  test('the connection string of Azure and the service key of Google cannot name an internal address', async () => {
    const guarded = createObjectStorage({ privateNetworks: [], vendorAddresses: google.vendorAddresses })
    const stop = new AbortController().signal
    const container = await guarded.open({ ...azure.credential, vendor: 'azure' })
    azure.requests.length = 0
    await expect(container.write('x', Buffer.from('x'), stop)).rejects.toThrow(/private network/)
    expect(azure.requests).toEqual([])
    const service_key = JSON.stringify({
      ...(JSON.parse(google.credential.service_key) as object),
      token_uri: azure.origin,
      universe_domain: `127.0.0.1:${new URL(azure.origin).port}`,
    })
    const bucket = await guarded.open({ ...google.credential, vendor: 'google', service_key })
    await bucket.write('x', Buffer.from('x'), stop)
    await bucket.remove('x', stop)
    expect(azure.requests).toEqual([])
  })
})

test.each([
  ['an unknown vendor', { vendor: 'tape' }, /^unknown storage vendor: tape$/],
  ['no name', { vendor: 'azure', connection_string: 'x' }, /^missing field name$/],
  ['an endpoint that is no address', { endpoint: 'ftp://x' }, /^endpoint must be a URL/],
  ['a region that is none', { vendor: 'aws_s3', region: 'eu.evil.example/' }, /^region must be a region/],
  ['no JSON', { vendor: 'google', name: 'b', service_key: 'x' }, /must be JSON with private_key and client_email/],
])('%s is rejected before any request', async (_, wrong, msg) => {
  const credential = 'vendor' in wrong && wrong.vendor !== 'aws_s3' ? wrong : { ...s3.credential, ...wrong }
  const { status, body } = await tried(credential)
  expect(status).toBe(400)
  expect(body).toMatchObject({ msg: expect.stringMatching(msg) as string })
})

test('limits the tests of an account per minute and guarantees other accounts their share', async () => {
  const { account, provider: max } = maxBucketTestsPerMinute
  const limited = await api.provider()
  const accountsNeeded = max / account
  for (let turn = 0; turn < accountsNeeded; turn += 1) {
    account_sid = await api.account(limited)
    for (let count = 0; count < account; count += 1) expect((await tried(s3.credential)).status).toBe(200)
    expect((await tried(s3.credential)).status).toBe(429)
  }
  account_sid = await api.account(limited)
  expect((await tried(s3.credential)).status).toBe(200)
  account_sid = await api.account(await api.provider())
  expect((await tried(s3.credential)).status).toBe(200)
})

test('ACCOUNTS-49 the fields of each vendor are stored and returned with masked secrets', async () => {
  const s3Like = { name: 'b', access_key_id: 'AKIA0123', secret_access_key: 'abcdefghij', tags }
  const service_key = { client_email: 'a@b.example', private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN' }
  const masked = { ...service_key, private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQXXXXXX' }
  const cases: [object, object][] = [
    [{ vendor: 'aws_s3', region: 'eu-west-1', ...s3Like }, { secret_access_key: 'abcdefXXXX' }],
    [{ vendor: 's3_compatible', endpoint: 'https://s3.example', ...s3Like }, { secret_access_key: 'abcdefXXXX' }],
    [
      { vendor: 'google', name: 'b', service_key: JSON.stringify(service_key), tags },
      { service_key: JSON.stringify(masked) },
    ],
    [{ vendor: 'azure', name: 'b', connection_string: 'AccountKey=x', tags }, { connection_string: 'AccounXXXXXX' }],
  ]
  for (const [storage, hidden] of cases)
    expect(await keep({ ...storage, other: 'dropped' })).toEqual({ ...storage, ...hidden })
})

test('a mask is rejected if no secret is stored, for every vendor', async () => {
  const private_key = '-----BEGIN PRIVATE KEY-----\nMIIEvQXXXXXX'
  const credential = {
    vendor: 'google',
    name: 'b',
    service_key: JSON.stringify({ client_email: 'a@b.example', private_key }),
  }
  const refused = await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: credential })
  expect(refused).toMatchObject({ status: 400, body: { field: 'bucket_credential.service_key' } })
})

test('a credential that is too long for its column is rejected, naming the tags', async () => {
  // Few enough bytes for the storage. The column also contains the service key.
  const many = Array.from({ length: 15 }, (_, index) => ({ Key: `tag-${index}`, Value: randomUUID().repeat(7) }))
  const serviceKey = { ...(JSON.parse(google.credential.service_key) as object), padding: 'x'.repeat(3500) }
  const credential = { ...google.credential, service_key: JSON.stringify(serviceKey), tags: many }
  const refused = await api.admin.put(`/Accounts/${account_sid}`, { bucket_credential: credential })
  expect(refused).toMatchObject({ status: 400, body: { field: 'bucket_credential.tags' } })
})
