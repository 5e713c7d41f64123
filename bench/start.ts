import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createFreshClone } from '@patchbay/testkit/fresh-clone'
import { freePort } from '@patchbay/testkit/ports'
import { builtServer } from '@patchbay/testkit/server-process'
import { serverEnvironment } from '../scripts/start.mjs'
import { parseEngines, filledServer, memory, press, printTable, quantile } from './harness.ts'

/**
 * npm run bench:start [sqlite] [mariadb]: from the start of the process to its first answer, and what it holds.
 * npm run bench:start -- --fresh [--beside COMMIT] [--rounds N]: from `npm start` in a fresh clone to the first answer, beside
 * another version.
 */

const rounds = 15

const bareProgram = `require('node:http').createServer((_, response) => response.end('OK')).listen(+process.env.PORT, '127.0.0.1')`

/** One try after another until somebody listens; an HTTP client would add its own start. */
const answers = async (port: number): Promise<void> => {
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

/** Milliseconds until the first answer, and megabytes once it has been quiet for two seconds. */
const startOf = async (program: readonly string[], env: NodeJS.ProcessEnv) => {
  const port = await freePort()
  const before = performance.now()
  const child = spawn(process.execPath, program, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: 'ignore',
  })
  await answers(port)
  const milliseconds = performance.now() - before
  await pause(2000)
  const { now } = memory(child.pid ?? 0)
  child.kill()
  await once(child, 'exit')
  return { milliseconds, now }
}

const starts = async (program: readonly string[], env: NodeJS.ProcessEnv) => {
  const seen: { milliseconds: number; now: number }[] = []
  for (let round = 0; round < rounds; round += 1) seen.push(await startOf(program, env))
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
  // The first start makes the database; it is the others that are measured.
  await startOf(builtServer, quiet)
  const ours = await starts(builtServer, quiet)
  rmSync(dataDir, { recursive: true, force: true })
  printTable([
    ['', 'bare node:http', 'Patchbay', 'goal'],
    ['start to first answer, ms', bare.milliseconds.toFixed(0), ours.milliseconds.toFixed(0), '500'],
    ['memory, idle, MB', bare.idle.toFixed(0), ours.idle.toFixed(0), '100'],
  ])
}

/** The peaks: at the requests that screens make, and while twenty clients read pages of 500 and search. */
const measurePeaks = async (args: readonly string[]): Promise<void> => {
  for (const engine of parseEngines(args)) {
    const filled = await filledServer(engine, ['--accounts', '20', '--calls', '100000', '--busiest', '100'])
    try {
      const { server, token, busiest: account } = filled
      const calls = `/v1/Accounts/${account}/RecentCalls?page=1`
      const peakAt = async (paths: readonly string[], connections: number): Promise<string> => {
        for (const path of paths)
          await press({ url: `${server.url}${path}`, token, connections, duration: 4 }, [server.pid])
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

/** Seconds from `npm start` in a fresh clone to its first answer, with what npm has kept from before or without. */
const freshStart = async (commit: string, cache: string | undefined): Promise<number> => {
  const newcomer = createFreshClone(commit)
  try {
    const before = performance.now()
    const server = await newcomer.npmStart(cache === undefined ? {} : { npm_config_cache: cache })
    const seconds = (performance.now() - before) / 1000
    await newcomer.stop(server)
    return seconds
  } finally {
    newcomer.remove()
  }
}

const measureFresh = async (beside: string | undefined, times: number): Promise<void> => {
  const commits = ['HEAD', ...(beside === undefined ? [] : [beside])]
  const seen = new Map<string, number[]>()
  const note = (key: string, seconds: number) => seen.set(key, [...(seen.get(key) ?? []), seconds])
  // The first fills npm's cache for those that count as warm.
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
