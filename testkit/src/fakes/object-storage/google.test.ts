import { importPKCS8, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GoogleServer, startGoogleServer } from './google.ts'

let server: GoogleServer
let authorization: string

const signIn = async (
  contentType = 'application/x-www-form-urlencoded',
  audience = 'https://oauth2.googleapis.com/token',
) => {
  const { client_email, private_key } = JSON.parse(server.credential.service_key) as Record<string, string>
  const assertion = await new SignJWT({ scope: 'https://www.googleapis.com/auth/devstorage.read_write' })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(client_email ?? '')
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importPKCS8(private_key ?? '', 'RS256'))
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const headers = { 'content-type': contentType }
  const response = await fetch(`${server.origin}/token`, { method: 'POST', headers, body: form.toString() })
  return (await response.json()) as { access_token?: string; error?: string }
}

beforeAll(async () => {
  server = await startGoogleServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  server.objects.clear()
  authorization = `Bearer ${(await signIn()).access_token}`
})

const start = (more: Record<string, string> = {}, query = 'uploadType=resumable&name=object&ifGenerationMatch=0') =>
  fetch(`${server.origin}/upload/storage/v1/b/recordings/o?${query}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...more },
    body: '{}',
  })

const startSession = async (more: Record<string, string> = {}): Promise<string> => {
  const location = new URL((await start(more)).headers.get('location') ?? '')
  return server.origin + location.pathname + location.search
}

const put = async (session: string, body: string | Buffer, range?: string) => {
  const headers = range === undefined ? {} : { 'content-range': range }
  const response = await fetch(session, { method: 'PUT', headers, body: new Uint8Array(Buffer.from(body)) })
  return [response.status, response.headers.get('range')]
}

test('rejects a sign-in with another content type or audience, and an expired token', async () => {
  expect((await signIn('application/json')).error).toBe('invalid_request')
  expect((await signIn(undefined, 'https://example.com/')).error).toBe('invalid_grant')
  server.expireTokens()
  expect((await start()).status).toBe(401)
})

describe('a resumable upload', () => {
  const quarter = Buffer.alloc(256 * 1024, 'x')

  test('is stored when its last chunk has arrived', async () => {
    const session = await startSession()
    const total = quarter.length + 1
    expect(await put(session, '', `bytes */${total}`)).toEqual([308, null])
    expect(await put(session, quarter, `bytes 0-${quarter.length - 1}/${total}`)).toEqual([308, 'bytes=0-262143'])
    expect(await put(session, '', `bytes */${total}`)).toEqual([308, 'bytes=0-262143'])
    expect(await put(session, 'y', `bytes ${quarter.length}-${quarter.length}/${total}`)).toEqual([200, null])
    expect(server.objects.get('object')?.content).toHaveLength(total)
    expect(await put(session, 'y')).toEqual([410, null])
    expect((await start()).status).toBe(412)
  })

  test.each([
    ['a gap', 'y', 'bytes 1-1/2'],
    ['a range of another length', 'yy', 'bytes 0-0/2'],
    ['a small chunk that is not the last', 'y', 'bytes 0-0/2'],
    ['another size than declared', 'yyy', 'bytes 0-2/3'],
    ['no range of bytes', 'y', 'bytes 0-/2'],
  ])('with %s is rejected', async (_, body, range) => {
    const session = await startSession({ 'x-upload-content-length': '2' })
    expect(await put(session, body, range)).toEqual([400, null])
  })

  test('without a name, or of another type, is rejected', async () => {
    for (const query of ['uploadType=resumable', 'uploadType=media&name=object'])
      expect((await start({}, query)).status).toBe(400)
    expect((await start({ 'content-type': 'text/plain' })).status).toBe(400)
  })
})
