import { Server, ServerCredentials } from '@grpc/grpc-js'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Endpoint, Outgoing } from '../outbound-http/outgoing.ts'
import { callGrpc } from './grpc.ts'
import { synthesizer } from './protocols/nuance-tts.ts'

/** The address is the one that was judged; the certificate has to be of the host that was meant. */

const meant = 'tts.example.com'

/** grpc-js looks whom it trusts when it is loaded. */
const { folder, cert, key } = await vi.hoisted(async () => {
  const { createCertificate: makeCertificate } = await import('@patchbay/testkit/certificate')
  const { mkdtemp } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const made = await mkdtemp(`${tmpdir()}/patchbay-grpc-`)
  const pair = makeCertificate(made, 'vendor', 'DNS:tts.example.com')
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = pair.cert
  return { folder: made, ...pair }
})

let server: Server
let endpoint: Endpoint

const ask = async (place: Endpoint) => {
  const outgoing = { resolve: async () => place } as Partial<Outgoing> as Outgoing
  const call = { url: `https://${meant}`, service: synthesizer, method: 'GetVoices', message: {} }
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
  endpoint = { address: '127.0.0.1', port, authority: meant, hostname: meant, secure: true }
})
afterAll(async () => {
  server.forceShutdown()
  delete process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH']
  await rm(folder, { recursive: true })
})

test('a vendor is reached under its own name', async () => {
  expect(await ask(endpoint)).toEqual({ voices: [{ name: meant, model: '', language: '' }] })
})

test('nobody else is taken for it', async () => {
  const other = 'other.example.com'
  await expect(ask({ ...endpoint, authority: other, hostname: other })).rejects.toThrow(
    /The connection with the vendor failed: .*does not match certificate's altnames/,
  )
})
