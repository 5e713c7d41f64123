import { connect } from 'node:net'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { createApp } from '@patchbay/server/app/app'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'

/** Unusual requests to a listening server: every response is JSON and none is a 5xx. */

const api = await openTestApi()
const port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port)

interface Raw {
  status: number
  headers: string
  body: string
}

/** Sends raw bytes over a socket, which permits more malformed requests than `inject`. */
const exchange = (head: readonly string[], body: Buffer | string = ''): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [headers = '', ...rest] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1] ?? 0), headers, body: rest.join('\r\n\r\n') })
    })
    socket.write(`${[...head, 'Host: localhost', 'Connection: close'].join('\r\n')}\r\n\r\n`)
    socket.write(body)
  })

const bearer = () => `Bearer ${api.admin.token}`

const isReadable = ({ status, headers, body }: Raw): void => {
  expect(headers).toMatch(/^x-request-id: \S+$/im)
  expect([status, /^content-type: application\/json/im.test(headers)]).toEqual([status, true])
  expect(JSON.parse(body)).toMatchObject({ msg: expect.stringMatching(/./) })
}

describe('methods that no path supports', () => {
  test.each(['PROPFIND', 'TRACE', 'LINK', 'MKCOL', 'REPORT', 'SEARCH', 'PURGE', 'M-SEARCH', 'PATCH'])(
    '%s is answered like a path that is none',
    async (method) => {
      for (const path of ['/v1/Accounts', '/api/v1/nowhere', '/', '/health', '/api/docs']) {
        const answer = await exchange([`${method} ${path} HTTP/1.1`, `Authorization: ${bearer()}`])
        expect([path, answer.status]).toEqual([path, 404])
        isReadable(answer)
      }
    },
  )

  test('QUERY needs a body with a type, and then no path matches', async () => {
    for (const [headers, status] of [
      [[], 400],
      [['Content-Type: application/json'], 404],
    ] as const) {
      const head = ['QUERY /v1/Accounts HTTP/1.1', `Authorization: ${bearer()}`, 'Content-Length: 2', ...headers]
      const answer = await exchange(head, '{}')
      expect(answer.status).toBe(status)
      isReadable(answer)
    }
  })

  test('a method that HTTP does not define is rejected', async () => {
    const answer = await exchange(['BREW /v1/Accounts HTTP/1.1'])
    expect(answer.status).toBe(400)
    isReadable(answer)
  })

  test('headers without an end are rejected', async () => {
    const answer = await exchange(['GET /v1/Accounts HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`])
    expect(answer.status).toBe(431)
    isReadable(answer)
  })

  test('OPTIONS returns 204 below the API, with or without preflight headers, and otherwise 404 as JSON', async () => {
    const preflight = ['Origin: https://elsewhere.example', 'Access-Control-Request-Method: PUT']
    for (const headers of [preflight, ['Origin: https://elsewhere.example'], []])
      for (const path of ['/v1/Accounts', '/api/v1/Accounts']) {
        const answer = await exchange([`OPTIONS ${path} HTTP/1.1`, ...headers])
        expect([headers.length, answer.status, answer.body]).toEqual([headers.length, 204, ''])
        expect(answer.headers).toMatch(/^access-control-allow-origin: \*$/im)
      }
    for (const path of ['/', '/health', '/api/docs', '/elsewhere']) {
      const answer = await exchange([`OPTIONS ${path} HTTP/1.1`])
      expect([path, answer.status]).toEqual([path, 404])
      isReadable(answer)
    }
  })
})

describe('clients that disconnect', () => {
  test('in the middle of a body do not cause an error in the log', async () => {
    const lines: string[] = []
    const { configuration, database } = api.services
    const app = await createApp({ configuration, database, log: { write: (line) => void lines.push(line) } })
    const answered = new Promise<number>((resolve) => {
      app.addHook('onSend', async (_request, reply) => resolve(reply.statusCode))
    })
    const own = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
    const socket = connect(own, '127.0.0.1')
    const arrived = new Promise((resolve) => app.server.once('request', resolve))
    const head = ['POST /v1/login HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 100']
    socket.write(`${head.join('\r\n')}\r\n\r\n{"username":`)
    await arrived
    socket.resetAndDestroy()
    expect(await answered).toBe(400)
    await app.close()
    expect(lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  })
})

/** Signed endpoints accept no tokens. */
const bodyEndpoints = Object.entries<Endpoint>(contract).filter(
  ([, { body, signedBy }]) => body !== undefined && signedBy === undefined,
)

describe('the access token as a member of the body', () => {
  test.each(bodyEndpoints)('%s accepts it', async (key) => {
    const { method, path } = splitKey(key)
    const url = `/v1${path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')}`
    const answer = await api.app.inject({ method, url, payload: { access_token: api.admin.token } })
    expect(answer.statusCode).not.toBe(401)
    expect(answer.body).not.toContain('access_token')
  })

  test('an account is created with it, and any other unknown member is still rejected', async () => {
    const payload = { access_token: api.admin.token, name: 'with the token in its body' }
    const url = '/v1/ServiceProviders'
    expect((await api.app.inject({ method: 'POST', url, payload })).statusCode).toBe(201)
    const refused = await api.app.inject({ method: 'POST', url, payload: { ...payload, token: 'x' } })
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { msg: 'unknown field token' }])
  })
})

describe('consecutive slashes in a path count as one', () => {
  test.each(['/v1//Accounts', '//v1/Accounts', '/api//v1///Accounts//', '/v1/Accounts//'])('%s', async (url) => {
    const headers = { authorization: bearer() }
    expect((await api.app.inject({ url, headers })).statusCode).toBe(200)
    expect((await api.app.inject({ url })).statusCode).toBe(401)
  })

  test('but not in the query', async () => {
    const provider = await api.provider()
    const name = 'a//b'
    await api.account(provider, { name })
    const url = `/v1//patchbay/accounts/taken?service_provider_sid=${provider}&name=${name}`
    const answer = await api.app.inject({ url, headers: { authorization: bearer() } })
    expect(answer.json()).toMatchObject({ name: true })
  })

  test('a sid keeps its position', async () => {
    const account = await api.account(await api.provider())
    const answer = await api.admin.get(`//Accounts//${account}`)
    expect(answer.body).toMatchObject({ account_sid: account })
  })
})

describe('instants outside of what a column holds', () => {
  const outOfRange = ['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '2038-01-19T03:14:08Z']

  test.each([...outOfRange, '9999-12-31T23:59:59Z'])('an API key that expires at %s', async (expires_at) => {
    const answer = await api.admin.post('/ApiKeys', { expires_at })
    expect([answer.status, answer.body]).toMatchObject([400, { field: 'expires_at' }])
  })

  test.each(['1970-01-01T00:00:01Z', '2038-01-19T03:14:07.000Z'])('but one that expires at %s', async (expires_at) => {
    expect((await api.admin.post('/ApiKeys', { expires_at })).status).toBe(201)
  })

  test('a trial that ends at one', async () => {
    const account = await api.account(await api.provider())
    for (const trial_end_date of ['0000-01-01T00:00:00Z', '0999-12-31T23:59:59Z']) {
      const answer = await api.admin.put(`/Accounts/${account}`, { trial_end_date })
      expect([answer.status, answer.body]).toMatchObject([400, { field: 'trial_end_date' }])
    }
    for (const trial_end_date of ['1000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z']) {
      expect((await api.admin.put(`/Accounts/${account}`, { trial_end_date })).status).toBe(204)
      expect((await api.admin.get(`/Accounts/${account}`)).body).toMatchObject({ trial_end_date })
    }
  })
})

test('the deletion of an account rejects a password instead of ignoring it', async () => {
  const account = await api.account(await api.provider())
  const path = `/Accounts/${account}`
  const refused = await api.admin.delete(path, { password: 'anything' })
  expect([refused.status, refused.body]).toMatchObject([400, { msg: 'unknown field password' }])
  expect((await api.admin.delete(path, {})).status).toBe(204)
})
