import { once } from 'node:events'
import { request } from 'node:http'
import { setImmediate as later } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { abortOnDisconnect } from './client-disconnect.ts'

const app = Fastify()
afterEach(() => app.close())

test('aborts if the client disconnects, but not after a complete response', async () => {
  const signals: AbortSignal[] = []
  app.get('/answered', async (_request, reply) => {
    signals.push(abortOnDisconnect(reply).signal)
    return 'OK'
  })
  const receivedSignal = new Promise<AbortSignal>((resolve) => {
    app.get('/waited', (_request, reply) => {
      resolve(abortOnDisconnect(reply).signal)
    })
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  await (await fetch(`${address}/answered`, { headers: { connection: 'close' } })).text()
  await later()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])

  const waiting = request(`${address}/waited`).end()
  waiting.on('error', () => {})
  const signal = await receivedSignal
  const aborted = once(signal, 'abort')
  waiting.destroy()
  await aborted
  expect(signal.aborted).toBe(true)
})
