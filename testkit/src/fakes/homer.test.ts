import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeHomer, startFakeHomer } from './homer.ts'

let homer: FakeHomer
beforeAll(async () => {
  homer = await startFakeHomer()
})
afterAll(() => homer.stop())

const json = 'application/json'

const send = async (
  path: string,
  body: unknown,
  { method = 'POST', contentType = json, authorization = '' } = {},
): Promise<{ status: number; type: string | null; content: unknown }> => {
  const headers = { 'content-type': contentType, ...(authorization === '' ? {} : { authorization }) }
  const init = method === 'GET' ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await fetch(`${homer.address.base}/api/v3${path}`, init)
  const type = response.headers.get('content-type')
  return { status: response.status, type, content: type === json ? await response.json() : await response.text() }
}

const signIn = async (): Promise<string> => {
  const { username, password } = homer.address
  const { content } = await send('/auth', { username, password })
  return `Bearer ${(content as { token: string }).token}`
}

const search = {
  param: {
    transaction: { call: true, registration: true, rest: false },
    search: { '1_call': { callid: ['one@10.0.0.5'] } },
  },
  timestamp: { from: 1, to: 2 },
}
const transaction = '/call/transaction'

test('rejects sign-ins with wrong or missing credentials', async () => {
  const { username } = homer.address
  expect(await send('/auth', { username, password: 'wrong' })).toMatchObject({ status: 401, type: json })
  expect((await send('/auth', { username })).status).toBe(400)
  expect((await send('/auth', undefined)).status).toBe(415)
})

test('rejects requests without a token, and with one that it did not issue or that has expired', async () => {
  expect((await send(transaction, search)).status).toBe(400)
  expect((await send(transaction, search, { authorization: 'Bearer made-up' })).status).toBe(401)
  const authorization = await signIn()
  expect((await send(transaction, search, { authorization })).status).toBe(200)
  homer.expireTokens()
  expect((await send(transaction, search, { authorization })).status).toBe(401)
})

test('rejects other paths, methods, content types, and incomplete searches', async () => {
  const authorization = await signIn()
  expect((await send('/search/call/data', search, { authorization })).status).toBe(404)
  expect((await send(transaction, search, { authorization, method: 'GET' })).status).toBe(405)
  expect((await send(transaction, search, { authorization, contentType: 'text/plain' })).status).toBe(415)
  for (const part of [
    { timestamp: { from: 2, to: 1 } },
    { timestamp: {} },
    { param: { ...search.param, search: {} } },
    { param: { ...search.param, search: { call: { callid: ['one@10.0.0.5'] } } } },
    { param: { ...search.param, search: { '1_call': { callid: [] } } } },
    { param: { ...search.param, transaction: { call: true } } },
  ])
    expect((await send(transaction, { ...search, ...part }, { authorization })).status).toBe(400)
})

test('returns searches as JSON, and exports as a file', async () => {
  const authorization = await signIn()
  expect(await send(transaction, search, { authorization })).toMatchObject({ type: json, content: { total: 0 } })
  const { status, type } = await send('/export/call/messages/pcap', search, { authorization })
  expect([status, type]).toEqual([200, 'application/octet-stream'])
})
