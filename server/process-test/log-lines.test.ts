import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { enter, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { getPort } from '@patchbay/testkit/servers/ports'
import { builtServer, type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

/** The standard output of the server is its log: one JSON object a line, from `started` to `stopped`. */

type Line = Record<string, unknown> & { msg: string }

const parseLog = (server: RunningServer): Line[] => {
  const lines = server.log().split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line) as Line)
}

/** Returns the example of the reference with this message. */
const findExample = (msg: string): Line => {
  const document = readFileSync(new URL('../../docs/reference/logging.md', import.meta.url), 'utf8')
  const examples = document.split('\n').filter((line) => line.startsWith('{"level"'))
  const example = examples.map((line) => JSON.parse(line) as Line).find((line) => line.msg === msg)
  if (example === undefined) throw new Error(`the reference has no example of ${msg}`)
  return example
}

const taken = createServer()
const store = sqliteStore()
let server: RunningServer | undefined
beforeAll(() => once(taken.listen(0, '127.0.0.1'), 'listening'))
afterEach(() => server?.kill())
afterAll(() => {
  taken.close()
  store.remove()
})

test('each line is JSON, and the URL and the first password are on stderr', async () => {
  const settings = { LOG_LEVEL: 'debug', ACCESS_LOG: 'true', INTAKE_HEP: `127.0.0.1:${getPort(taken)}` }
  server = await startServer({ ...store.settings, ...settings })
  const { url, intakePort, otlpPort } = server
  const target = await enter(server)
  expect(await callApi(target, target.apiKey, 'GET', '/Accounts')).toMatchObject({ status: 200 })
  expect(await callApi(target, target.apiKey, 'GET', '/Accounts/none')).toMatchObject({ status: 400 })
  await server.stop()
  const lines = parseLog(server)
  expect(lines.some(({ msg }) => msg === 'request completed')).toBe(true)
  expect(lines.some(({ msg }) => msg === 'an intake cannot use its port and receives nothing')).toBe(true)
  expect(server.log()).not.toContain(server.firstPassword)
  const started = lines.find(({ msg }) => msg === 'started')
  const host = '127.0.0.1'
  expect(started).toMatchObject({
    version: packageJson.version,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    engine: 'sqlite',
    url,
    // An intake that cannot use its port is not listed.
    intakes: { influx: { host, port: intakePort }, otlp: { host, port: otlpPort } },
  })
  const migrations = started?.['migrations'] as string[]
  expect(migrations.length).toBeGreaterThan(10)
  expect(started?.['schema']).toBe(migrations.at(-1))
  const last = lines.at(-1)
  expect(last).toMatchObject({ msg: 'stopped', reason: 'SIGTERM', exit_code: 0 })
  expect(last?.['seconds']).toBeGreaterThan(0)
  for (const line of [started, last])
    expect(Object.keys(line ?? {}).toSorted()).toEqual(Object.keys(findExample(line?.msg ?? '')).toSorted())

  server = await startServer({ ...store.settings, LOG_LEVEL: 'info' })
  await server.stop()
  expect(parseLog(server).find(({ msg }) => msg === 'started')).toMatchObject({ migrations: [] })
})

test('a second signal does not interrupt the shutdown', async () => {
  server = await startServer({ ...store.settings, LOG_LEVEL: 'info', SHUTDOWN_DELAY_SECONDS: '1' })
  const { pid, url, ended } = server
  process.kill(pid, 'SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGINT')
  expect(await ended).toBe(0)
  expect(parseLog(server).at(-1)).toMatchObject({ msg: 'stopped', reason: 'SIGTERM', exit_code: 0 })
})

test('a log that cannot be written does not end the server, which reports it once on stderr', async () => {
  const script = `exec "$0" ${builtServer.map((argument) => `'${argument}'`).join(' ')} > /dev/full`
  const settings = { ...store.settings, LOG_LEVEL: 'info', ACCESS_LOG: 'true' }
  server = await startServer(settings, ['-c', script, process.execPath], undefined, 'sh')
  for (let count = 1; count <= 3; count += 1) expect((await fetch(`${server.url}/health`)).status).toBe(200)
  process.kill(server.pid, 'SIGTERM')
  expect(await server.ended).toBe(0)
  expect(server.output().match(/The log cannot be written to the standard output: .*ENOSPC/g)).toHaveLength(1)
})
