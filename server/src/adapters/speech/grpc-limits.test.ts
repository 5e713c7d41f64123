import { promisify } from 'node:util'
import { Server, ServerCredentials, type ServerUnaryCall } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import { callGrpc } from './grpc.ts'
import { synthesizer } from './protocols/nuance-tts.ts'

type Call = ServerUnaryCall<object, object>
type Done = (error: null, value: object) => void

let behave: (call: Call, done: Done) => void = () => {}
let port = 0
const server = new Server({ 'grpc.max_send_message_length': -1, 'grpc.default_compression_algorithm': 0 })

beforeAll(async () => {
  server.addService(synthesizer, { GetVoices: (call: Call, done: Done) => behave(call, done) })
  const bind = promisify(server.bindAsync.bind(server))
  port = await bind('127.0.0.1:0', ServerCredentials.createInsecure())
})
afterAll(() => server.forceShutdown())

const ask = (signal: AbortSignal = new AbortController().signal) => {
  const endpoint = { address: '127.0.0.1', port, authority: 'a.example', hostname: 'a.example', secure: false }
  const outgoing = { resolve: async () => endpoint } as Partial<Outgoing> as Outgoing
  const call = { url: 'http://a.example', service: synthesizer, method: 'GetVoices', message: {} }
  return callGrpc({ outgoing, stop: signal }, call)
}

test('fails for a message of more than 4 MiB', async () => {
  behave = (_call, done) => done(null, { voices: [{ name: 'x'.repeat(5 * 2 ** 20) }] })
  await expect(ask()).rejects.toThrow('Received message larger than max')
})

test('cancels an unanswered call when its signal aborts', async () => {
  const controller = new AbortController()
  const cancelled = new Promise<void>((resolve) => {
    behave = (call) => {
      call.on('cancelled', () => resolve())
      controller.abort()
    }
  })
  await expect(ask(controller.signal)).rejects.toThrow('Cancelled on client')
  await cancelled
})
