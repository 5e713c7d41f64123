import { type FakeHomer, startFakeHomer } from '@patchbay/testkit/fakes/homer'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mebibyte } from '../../adapters/outbound-http/transport.ts'
import type { Captures } from './captures.ts'
import { createHomerCaptures } from './homer-captures.ts'

let homer: FakeHomer
let captures: Captures
const sip_callid = 'one@10.0.0.5'
const now = 1_790_000_000_000
const timestamp = { from: now - 7 * 86_400_000, to: now }
const capture = {
  total: 1,
  data: { messages: [{ id: 7, odd: true }], calldata: [], hosts: {}, alias: {} },
  keys: ['x'],
}
const auth = '/api/v3/auth'

beforeEach(async () => {
  homer = await startFakeHomer()
  captures = createHomerCaptures(homer.address, { now: () => now })
  homer.capture = capture
})
afterEach(() => homer.stop())

const getPaths = () => homer.requests.map(({ path, authorization }) => authorization ?? path)
const send = (status: number, body: string | Buffer, type = 'application/json') => {
  homer.answer = (response) => response.writeHead(status, { 'content-type': type, location: '/login' }).end(body)
}

test('sends the same requests as jambonz, and returns the response unchanged', async () => {
  expect(await captures.read(sip_callid)).toEqual(capture)
  expect(await captures.read(sip_callid)).toEqual(capture)
  const { username, password } = homer.address
  const search = {
    path: '/api/v3/call/transaction',
    authorization: 'Bearer token-1',
    body: {
      param: {
        transaction: { call: true, registration: true, rest: false },
        orlogic: true,
        search: { '1_call': { callid: [sip_callid] }, '1_registration': { callid: [sip_callid] } },
      },
      timestamp,
    },
  }
  // The token is reused until it expires.
  expect(homer.requests).toEqual([
    { path: auth, authorization: undefined, body: { username, password } },
    search,
    search,
  ])
})

describe('a pcap file', () => {
  const pcap = Buffer.alloc(100, 7)
  pcap.write('d4c3b2a1', 'hex')

  test.each([
    ['invite', { call: true, registration: false }, '1_call'],
    ['register', { call: false, registration: true }, '1_registration'],
  ] as const)('of an %s is returned', async (kind, flags, table) => {
    homer.pcap = pcap
    expect(await captures.pcap(sip_callid, kind)).toEqual(pcap)
    expect(homer.requests[1]).toEqual({
      path: '/api/v3/export/call/messages/pcap',
      authorization: 'Bearer token-1',
      body: {
        param: {
          transaction: { ...flags, rest: false },
          orlogic: true,
          search: { [table]: { callid: [sip_callid] } },
        },
        timestamp,
      },
    })
  })

  test('without packets is not found', async () => {
    expect(await captures.pcap(sip_callid, 'invite')).toBeUndefined()
    send(404, 'x')
    expect(await captures.pcap(sip_callid, 'invite')).toBeUndefined()
  })

  test.each([
    ['a page', '<html><body>An error of the proxy</body></html>', 'text/html'],
    ['JSON', JSON.stringify({ statuscode: 500, message: 'the export failed' }), 'application/json'],
    ['the beginning of a file', pcap.subarray(0, 10), 'application/octet-stream'],
  ])('is not %s', async (_, body, type) => {
    send(200, body, type)
    await expect(captures.pcap(sip_callid, 'invite')).rejects.toMatchObject({
      status: 404,
      code: 'captures_unavailable',
    })
  })
})

describe('credentials', () => {
  const rejected = { status: 400, code: 'homer_credentials_rejected' }

  test('are sent once more after the token has expired', async () => {
    await captures.read(sip_callid)
    homer.expireTokens()
    expect(await captures.read(sip_callid)).toEqual(capture)
    expect(getPaths()).toEqual([auth, 'Bearer token-1', 'Bearer token-1', auth, 'Bearer token-2'])
  })

  test('are not sent again if Homer rejects a new token', async () => {
    send(401, '{}')
    await expect(captures.read(sip_callid)).rejects.toMatchObject({ status: 404 })
    expect(getPaths()).toEqual([auth, 'Bearer token-1'])
    await expect(captures.read(sip_callid)).rejects.toMatchObject({ status: 404 })
    expect(getPaths().slice(2)).toEqual(['Bearer token-1', auth, 'Bearer token-2'])
  })

  test('that are wrong result in 400', async () => {
    const wrong = createHomerCaptures({ ...homer.address, password: 'wrong' })
    await expect(wrong.read(sip_callid)).rejects.toMatchObject(rejected)
    await expect(wrong.pcap(sip_callid, 'invite')).rejects.toMatchObject(rejected)
  })

  test('that expire while the password changes result in 400', async () => {
    await captures.read(sip_callid)
    homer.expireTokens()
    homer.address.password = 'another'
    await expect(captures.read(sip_callid)).rejects.toMatchObject(rejected)
  })

  test.each([
    ['without a token', 200, '{}'],
    ['that is not JSON', 200, '<html>'],
    ['with an error status', 503, '{"token":"x"}'],
  ])('result in 400 after a response %s', async (_, status, body) => {
    homer.answerSignIn = (response) => response.writeHead(status).end(body)
    await expect(captures.read(sip_callid)).rejects.toMatchObject(rejected)
  })
})

describe('a search', () => {
  test.each([
    ['without lists', '{"data":{"messages":null}}', { total: 0, data: { messages: [], calldata: [] }, keys: [] }],
    ['without a total', '{"data":{"messages":[{},{}]}}', { total: 2 }],
  ])('%s is completed', async (_, body, expected) => {
    send(200, body)
    expect(await captures.read(sip_callid)).toMatchObject(expected)
  })

  test.each([
    ['an error status', 500, 'x', 'text/plain'],
    ['a page', 200, '<html>', 'text/html'],
    ['another JSON', 200, '[]', 'application/json'],
    ['a redirect', 302, '', 'text/html'],
    ['more than 16 MiB', 200, JSON.stringify({ ...capture, x: 'x'.repeat(16 * mebibyte) }), 'application/json'],
  ])('that is answered with %s results in 404', async (_, status, body, type) => {
    send(status, body, type)
    await expect(captures.read(sip_callid)).rejects.toMatchObject({ status: 404, code: 'captures_unavailable' })
  })

  test('that is never answered, or never reaches Homer, results in an error', async () => {
    homer.answerSignIn = () => {}
    const impatient = createHomerCaptures(homer.address, { timeoutSeconds: 0.1 })
    await expect(impatient.read(sip_callid)).rejects.toMatchObject({ status: 400 })
    await homer.stop()
    await expect(captures.read(sip_callid)).rejects.toMatchObject({ status: 400 })
  })
})
