import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { enter, mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, type Target } from '@patchbay/testkit/crash/durability-ledger'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'

/** The traces of a real process. The OTLP intake of another process of Patchbay receives them. */

interface LogLine {
  method?: string
  url?: string
  reqId?: string
  trace_id?: string
}

const readLog = (server: RunningServer): LogLine[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)

/** Returns the names of the spans that a receiver stored. A call record with the trace makes them readable. */
const readStoredSpans = async (receiver: RunningServer, target: Target, trace_id: string): Promise<string[]> => {
  const { body } = await callApi(target, target.session, 'GET', '/Accounts')
  const [{ account_sid = '' } = {}] = body as { account_sid?: string }[]
  const point = `cdrs,account_sid=${account_sid} call_sid="a",duration=1,trace_id="${trace_id}" ${Date.now()}000000`
  const intake = `http://127.0.0.1:${receiver.intakePort}/write?db=cdrs`
  expect((await fetch(intake, { method: 'POST', body: point })).status).toBe(204)
  const path = `/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`
  const trace = await callApi(target, target.session, 'GET', path)
  expect(trace.status).toBe(200)
  return JSON.stringify(trace.body)
    .split('"name":"')
    .slice(1)
    .map((text) => text.slice(0, text.indexOf('"')))
}

test.each(['SQLite', 'MariaDB'])(
  'the intake of another process receives the traces of a server on %s, also the last ones before it ends',
  async (engine) => {
    const client = mariaDbClient(inject('mariadb'))
    const store = engine === 'SQLite' ? sqliteStore() : mysqlStore(await client.createDatabase('tracing'))
    const receiver = await startServer()
    const server = await startServer({
      ...store.settings,
      LOG_LEVEL: 'info',
      ACCESS_LOG: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.otlpPort}`,
      OTEL_TRACES_SAMPLER: 'always_on',
      // Longer than the test, so that only the end of the process exports.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    })
    try {
      const target = await enter(server)
      const created = await callApi(target, target.session, 'POST', '/ServiceProviders', { name: 'Traced provider' })
      expect(created).toMatchObject({ status: 201 })
      await server.stop()
      const line = readLog(server).find(({ method, url }) => method === 'POST' && url?.endsWith('/ServiceProviders'))
      expect(line).toMatchObject({ reqId: expect.any(String), trace_id: expect.stringMatching(/^[\da-f]{32}$/) })
      const names = await readStoredSpans(receiver, await enter(receiver), line?.trace_id ?? '')
      expect(names).toEqual(expect.arrayContaining(['POST /v1/ServiceProviders', 'wait writes', 'INSERT', 'COMMIT']))
    } finally {
      await Promise.all([server.stop(), receiver.stop()])
      store.remove()
      if (engine === 'MariaDB') await client.dropDatabase('tracing')
    }
  },
)

test('a receiver that never responds delays neither requests nor the start, and the end by a few seconds', async () => {
  const hanging = await startHangingServer()
  const server = await startServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: hanging.origin,
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  })
  try {
    const target = await enter(server)
    await expect.poll(() => hanging.connections.size).toBeGreaterThan(0)
    const reads = Array.from({ length: 50 }, () => callApi(target, target.session, 'GET', '/Accounts'))
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
    const startedAt = performance.now()
    await server.stop()
    expect(await server.ended).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  } finally {
    hanging.close()
    await server.stop()
  }
})

test('a server without an endpoint does not load OpenTelemetry', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url))
  const read = (name: string) => readFileSync(join(dist, name), 'utf8')
  const loaded = new Set<string>()
  const load = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const [, imported = ''] of read(name).matchAll(/^(?:import|export)\b[^;]*?["']\.\/([^"']+)["']/gm))
      load(imported)
  }
  // The start imports everything else that a server without optional services needs.
  const isStart = (name: string) => /^(?:main|start-[\w-]+)\.mjs$/.test(name)
  const modules = readdirSync(dist).filter((name) => name.endsWith('.mjs'))
  for (const name of modules.filter(isStart)) load(name)
  expect(loaded.size).toBeGreaterThan(5)
  const withTracing = modules.filter((name) => read(name).includes('ParentBasedSampler'))
  expect(withTracing.length).toBeGreaterThan(0)
  expect(withTracing.filter((name) => loaded.has(name))).toEqual([])
})
