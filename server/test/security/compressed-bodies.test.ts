import { createHook } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as observe } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { createSink } from '@patchbay/server/app/ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { registerLogIngest } from '@patchbay/server/call-data/ingest/log-ingest'
import { createOtlpIntake } from '@patchbay/server/call-data/ingest/otlp-ingest'
import { openTestApi } from '@patchbay/testkit/test-world'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Small compressed bodies that decompress to gigabytes, sent to every route and every intake. */

const megabytes = 1024 * 1024

/** A body of zeros. The large windows make decompressors allocate the most memory. */
const zeros = Buffer.alloc(256 * megabytes)
const bombs = {
  br: brotliCompressSync(zeros, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }),
  gzip: gzipSync(zeros),
  deflate: deflateSync(zeros),
  zstd: zstdCompressSync(zeros, { params: { [constants.ZSTD_c_windowLog]: 27 } }),
}
const encodings = Object.keys(bombs) as (keyof typeof bombs)[]

const api = await openTestApi()
let otlp: FastifyInstance
let influx: FastifyInstance
const origins = { api: '', otlp: '', influx: '' }
const agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  const logger = api.app.log
  otlp = createOtlpIntake({ sink: api.sinks.traces, logger })
  registerLogIngest(otlp, { sink: api.sinks.logs, logger })
  influx = createInfluxIntake({ sink: createSink(api.sinks), logger })
  const listen = (app: FastifyInstance) => app.listen({ host: '127.0.0.1', port: 0 })
  Object.assign(origins, { api: await listen(api.app), otlp: await listen(otlp), influx: await listen(influx) })
})
afterAll(async () => {
  agent.destroy()
  await otlp.close()
  await influx.close()
})

interface Answer {
  status: number
  acceptEncoding: string | undefined
  text: string
}

const send = (url: string, method: string, encoding: string, body: Buffer, token?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-encoding': encoding,
      'content-length': body.length,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    const outgoing = request(url, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const acceptEncoding = response.headers['accept-encoding']
        resolve({ status: response.statusCode ?? 0, acceptEncoding, text })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Counts the compressors and decompressors that are created during the work. */
const countZlibStreams = async (work: () => Promise<void>): Promise<number> => {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ZLIB') count += 1
    },
  }).enable()
  try {
    await work()
    return count
  } finally {
    hook.disable()
  }
}

/**
 * Returns how many cores this process uses in the second after the work, and by how many bytes its memory has grown
 * since before the work.
 */
const observeAfter = async (work: () => Promise<void>): Promise<{ cores: number; grownBytes: number }> => {
  const rssBefore = process.memoryUsage.rss()
  await work()
  const cpuBefore = process.cpuUsage()
  // The observation itself: work that goes on after the responses has no event to wait for.
  await observe(1000)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { cores: (user + system) / 1_000_000, grownBytes: process.memoryUsage.rss() - rssBefore }
}

const isQuiet = {
  cores: expect.closeTo(0, 0),
  grownBytes: expect.toSatisfy((bytes: number) => bytes < 200 * megabytes),
}

const routes = Object.keys(contract).map((key) => {
  const { method, path } = splitKey(key)
  return { method, path: `/v1${path.replaceAll(/:\w+/g, () => randomUUID())}` }
})

describe('every route of the API', () => {
  test.each(encodings)('rejects %s before it decompresses anything, with and without a token', async (encoding) => {
    const paths = [...routes, { method: 'POST', path: '/v1/elsewhere' }, { method: 'POST', path: '/api/v1/login' }]
    const outcome = { streams: 0, cores: 0, grownBytes: 0 }
    const sendAll = async () => {
      for (const { method, path } of paths)
        for (const token of [undefined, api.admin.token]) {
          const answer = await send(`${origins.api}${path}`, method, encoding, bombs[encoding], token)
          expect([method, path, answer.status, answer.acceptEncoding]).toEqual([method, path, 415, 'identity'])
          expect(JSON.parse(answer.text)).toMatchObject({
            msg: 'The body is compressed: send it without Content-Encoding',
          })
        }
    }
    outcome.streams = await countZlibStreams(async () => {
      Object.assign(outcome, await observeAfter(sendAll))
    })
    expect(outcome).toEqual({ streams: 0, ...isQuiet })
  })

  test.each(['rot13', '', 'gzip, br', 'GZIP', 'x-gzip', 'compress'])('rejects the encoding %j', async (encoding) => {
    const answer = await send(`${origins.api}/v1/login`, 'POST', encoding, Buffer.from('{}'))
    expect(answer.status).toBe(415)
  })

  test.each(['identity', 'Identity'])('accepts %s, which is no compression', async (encoding) => {
    const body = Buffer.from(JSON.stringify({ name: randomUUID() }))
    const answer = await send(`${origins.api}/v1/ServiceProviders`, 'POST', encoding, body, api.admin.token)
    expect(answer.status).toBe(201)
  })
})

describe('paths outside of the API', () => {
  test.each(encodings)('discard %s', async (encoding) => {
    const streams = await countZlibStreams(async () => {
      for (const path of ['/', '/health', '/livez', '/readyz', '/version', '/api/docs', '/config.json', '/elsewhere']) {
        const { status } = await send(`${origins.api}${path}`, 'POST', encoding, bombs[encoding])
        // The body counts as the JSON or the bytes that it is not, or as too long.
        expect([400, 404, 413]).toContain(status)
      }
    })
    expect(streams).toBe(0)
  })
})

describe('every intake', () => {
  const intakes = [
    ['influx', '/write?db=cdrs'],
    ['influx', '/write?db=alerts'],
    ['otlp', '/v1/traces'],
    ['otlp', '/logs'],
  ] as const

  test.each(intakes)('%s%s decompresses gzip up to its limit, and rejects other encodings', async (intake, path) => {
    const url = `${origins[intake]}${path}`
    const outcome = await observeAfter(async () => {
      for (const encoding of ['br', 'deflate', 'zstd', 'gzip, gzip'] as const) {
        const bomb = bombs[encoding === 'gzip, gzip' ? 'gzip' : encoding]
        const answer = await send(url, 'POST', encoding, bomb)
        expect([encoding, answer.status, answer.acceptEncoding]).toEqual([encoding, 415, 'gzip'])
      }
      for (const encoding of ['gzip', 'x-gzip']) {
        const answers = Array.from({ length: 20 }, () => send(url, 'POST', encoding, bombs.gzip))
        // The intake has memory for only some of the 20 requests. It answers the rest with 503.
        for (const { status } of await Promise.all(answers)) expect([413, 503]).toContain(status)
      }
    })
    expect(outcome).toEqual(isQuiet)
  })
})
