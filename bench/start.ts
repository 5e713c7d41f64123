import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createFreshClone } from '@patchbay/testkit/releases/fresh-clone'
import { freePort } from '@patchbay/testkit/servers/ports'
import { builtServer } from '@patchbay/testkit/servers/server-process'
import { serverEnvironment } from '../scripts/patchbay.mjs'
import { filledServer, generateLoad, memory, parseEngines, printTable, quantile, scaled } from './harness.ts'

/**
 * npm run bench:start [sqlite] [mariadb]: measures the time from the start of the process to the first response, and
 * the memory afterwards.
 * npm run bench:start -- --fresh [--beside COMMIT] [--rounds N]: measures the time from `npm start` in a fresh clone to
 * the first response, also for another version.
 */

const rounds = scaled(15)

const bareProgram = `require('node:http').createServer((_, response) => response.end('OK')).listen(+process.env.PORT, '127.0.0.1')`

/** Connects repeatedly until the server listens. An HTTP client would add its own startup time. */
const untilListening = async (port: number): Promise<void> => {
  for (;;) {
    const socket = createConnection({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
      socket.end('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
      await once(socket, 'data')
      return
    } catch {
      await pause(2)
    } finally {
      socket.destroy()
    }
  }
}

/** Returns the milliseconds until the first response, and the megabytes after two idle seconds. */
const measureSingleStart = async (program: readonly string[], env: NodeJS.ProcessEnv) => {
  const port = await freePort()
  const before = performance.now()
  const child = spawn(process.execPath, program, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: 'ignore',
  })
  await untilListening(port)
  const milliseconds = performance.now() - before
  await pause(scaled(2000))
  const { now } = memory(child.pid ?? 0)
  child.kill()
  await once(child, 'exit')
  return { milliseconds, now }
}

const starts = async (program: readonly string[], env: NodeJS.ProcessEnv) => {
  const seen: { milliseconds: number; now: number }[] = []
  for (let round = 0; round < rounds; round += 1) seen.push(await measureSingleStart(program, env))
  return {
    milliseconds: quantile(
      seen.map((one) => one.milliseconds),
      0.5,
    ),
    idle: quantile(
      seen.map((one) => one.now),
      0.5,
    ),
  }
}

const measureStart = async (): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-bench-start-'))
  const quiet = { ...serverEnvironment, DATA_DIR: dataDir, INTAKE_INFLUX: '0', LOG_LEVEL: 'warn', HOST: '127.0.0.1' }
  const bare = await starts(['-e', bareProgram], {})
  // The first start creates the database, so it is not measured.
  await measureSingleStart(builtServer, quiet)
  const ours = await starts(builtServer, quiet)
  rmSync(dataDir, { recursive: true, force: true })
  printTable([
    ['', 'bare node:http', 'Patchbay', 'goal'],
    ['start to first answer, ms', bare.milliseconds.toFixed(0), ours.milliseconds.toFixed(0), '500'],
    ['memory, idle, MB', bare.idle.toFixed(0), ours.idle.toFixed(0), '100'],
  ])
}

/**
 * Measures peak memory during the requests of the screens, and while twenty clients read pages of 500 rows and search.
 */
const measurePeaks = async (args: readonly string[]): Promise<void> => {
  for (const engine of parseEngines(args)) {
    const filled = await filledServer(engine, [
      '--accounts',
      '20',
      '--calls',
      String(scaled(100_000, 500)),
      '--busiest',
      '100',
    ])
    try {
      const { server, token, busiest: account } = filled
      const calls = `/v1/Accounts/${account}/RecentCalls?page=1`
      const peakAt = async (paths: readonly string[], connections: number): Promise<string> => {
        for (const path of paths)
          await generateLoad({ url: `${server.url}${path}`, token, connections, duration: 4 }, [server.pid])
        return memory(server.pid).peak.toFixed(0)
      }
      const screens = ['/v1/Accounts', `/v1/Accounts/${account}`, `${calls}&count=25&days=1`, `${calls}&count=25`]
      const usual = await peakAt(screens, 10)
      const heavy = await peakAt([`${calls}&count=500`, `${calls}&count=25&filter=5551`], 20)
      printTable([
        [engine, 'MB', 'goal'],
        ['memory, peak: what screens ask, 10 connections', usual, '200'],
        ['memory, peak: pages of 500 and searches, 20 connections', heavy, ''],
        ['memory, after it', memory(server.pid).now.toFixed(0), ''],
      ])
    } finally {
      await filled.stop()
    }
  }
}

/** Returns the seconds from `npm start` in a fresh clone to the first response, with or without npm's cache. */
const freshStart = async (commit: string, cache: string | undefined): Promise<number> => {
  const freshClone = createFreshClone(commit)
  try {
    const before = performance.now()
    const server = await freshClone.npmStart(cache === undefined ? {} : { npm_config_cache: cache })
    const seconds = (performance.now() - before) / 1000
    await freshClone.stop(server)
    return seconds
  } finally {
    freshClone.remove()
  }
}

const measureFresh = async (beside: string | undefined, times: number): Promise<void> => {
  const commits = ['HEAD', ...(beside === undefined ? [] : [beside])]
  const seen = new Map<string, number[]>()
  const note = (key: string, seconds: number) => seen.set(key, [...(seen.get(key) ?? []), seconds])
  // The first run fills npm's cache for the measurements with a warm cache.
  for (const commit of commits) await freshStart(commit, undefined)
  for (let round = 0; round < times; round += 1)
    for (const commit of commits) {
      note(`${commit} warm`, await freshStart(commit, undefined))
      const cache = mkdtempSync(join(tmpdir(), 'patchbay-bench-cache-'))
      note(`${commit} cold`, await freshStart(commit, cache))
      rmSync(cache, { recursive: true, force: true })
    }
  const cells = (how: string) =>
    commits.map((commit) => (seen.get(`${commit} ${how}`) ?? []).toSorted((a, b) => a - b).map((one) => one.toFixed(1)))
  printTable([
    ['npm start in a fresh clone to the first answer, s', ...commits.map((commit) => commit.slice(0, 8)), 'goal'],
    ...['warm', 'cold'].map((how) => [`npm's cache ${how}`, ...cells(how).map((all) => all.join(' ')), '45']),
  ])
}

const { values, positionals } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    beside: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
})
if (values.fresh) await measureFresh(values.beside, Number(values.rounds))
else {
  await measureStart()
  await measurePeaks(positionals)
}
