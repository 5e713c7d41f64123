import { gzipSync } from 'node:zlib'
import { peakMemory } from '@patchbay/testkit/peak-memory'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

const floods = [
  { name: 'sixty bodies that unpack to 25 MB', count: 60, megabytes: 25 },
  { name: 'sixty bodies of 8 MB, nothing but bad lines', count: 60, megabytes: 8 },
  { name: 'two hundred and fifty bodies of 1 MB, nothing but bad lines', count: 250, megabytes: 1 },
]

test.each(floods)('$name do not exceed the memory limit', async ({ count, megabytes }) => {
  const server = await startServer()
  try {
    const body = gzipSync('x\n'.repeat(megabytes * 500_000))
    const hangUp = new AbortController()
    const write = async (payload: Buffer<ArrayBuffer> | string, headers: Record<string, string> = {}) => {
      const url = `http://127.0.0.1:${server.intakePort}/write?db=cdrs`
      const answer = await fetch(url, { method: 'POST', body: payload, headers, signal: hangUp.signal })
      return answer.status
    }
    let refused = 0
    const flood = Array.from({ length: count }, async () => {
      const status = await write(body, { 'content-encoding': 'gzip' }).catch(() => 0)
      if (status === 503 || status === 413) refused += 1
      return status
    })
    // A small request is accepted in the meantime.
    expect(await write('cdrs,account_sid=A,answered=false call_sid="one" 1')).toBe(204)
    await Promise.any(flood)
    expect(await write('cdrs,account_sid=A,answered=false call_sid="two" 2')).toBe(204)
    hangUp.abort()
    await Promise.all(flood)
    expect(refused).toBeGreaterThan(count / 2)
    expect(peakMemory(server.pid)).toBeLessThan(300)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  } finally {
    await server.stop()
  }
})

test('the built server decodes exports, even after one that exceeds a limit', async () => {
  const server = await startServer()
  try {
    const send = async (spans: readonly object[]) => {
      const body = gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))
      const answer = await fetch(`http://127.0.0.1:${server.otlpPort}/v1/traces`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      })
      return [answer.status, await answer.json()]
    }
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), name: 'x', startTimeUnixNano: '1' }
    const many = Array.from({ length: 60_000 }, () => ({}))
    expect(await send([span])).toEqual([200, {}])
    expect(await send(many)).toEqual([413, { message: expect.stringContaining('50,000 spans') }])
    expect(await send([span])).toEqual([200, {}])
  } finally {
    await server.stop()
  }
})
