import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Endpoint, Outgoing } from '../outbound-http/outgoing.ts'
import { callGrpc } from './grpc.ts'
import { synthesizer } from './protocols/nuance-tts.ts'

/**
 * gRPC connects to the address that the SSRF guard approved, but verifies the certificate against the requested host.
 */

const requestedHost = 'tts.example.com'

/** grpc-js reads its root certificates when it is loaded, so they are created first. */
const { folder, cert, key } = await vi.hoisted(async () => {
  const { createCertificate } = await import('@patchbay/testkit/fakes/certificate')
  const { mkdtemp } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const temporaryFolder = await mkdtemp(`${tmpdir()}/patchbay-grpc-`)
  const pair = createCertificate(temporaryFolder, 'vendor', 'DNS:tts.example.com')
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = pair.cert
  return { folder: temporaryFolder, ...pair }
})

let server: Server
let endpoint: Endpoint

const getVoices = async (target: Endpoint) => {
  const outgoing = { resolve: async () => target } as Partial<Outgoing> as Outgoing
  const call = { url: `https://${requestedHost}`, service: synthesizer, method: 'GetVoices', message: {} }
  return callGrpc({ outgoing, stop: new AbortController().signal }, call)
}

beforeAll(async () => {
  const pair = { cert_chain: await readFile(cert), private_key: await readFile(key) }
  server = new Server()
  server.addService(synthesizer, {
    GetVoices: (call: { getHost(): string }, done: (error: null, value: object) => void) =>
      done(null, { voices: [{ name: call.getHost() }] }),
  })
  const bind = promisify(server.bindAsync.bind(server))
  const port = await bind('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]))
  endpoint = { address: '127.0.0.1', port, authority: requestedHost, hostname: requestedHost, secure: true }
})
afterAll(async () => {
  server.forceShutdown()
  delete process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH']
  await rm(folder, { recursive: true })
})

test("verifies the certificate against the vendor's host name", async () => {
  expect(await getVoices(endpoint)).toEqual({ voices: [{ name: requestedHost, model: '', language: '' }] })
})

test('rejects a certificate for another host', async () => {
  const other = 'other.example.com'
  await expect(getVoices({ ...endpoint, authority: other, hostname: other })).rejects.toThrow(
    /The connection with the vendor failed: .*does not match certificate's altnames/,
  )
})
