import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { enginesAsked, filledServer, memory, press, printTable, quantile } from './support.ts'

/** npm run bench:start [sqlite] [mariadb]: from the start of the process to its first answer, and what it holds. */

const rounds = 15

const bareProgram = `require('node:http').createServer((_, response) => response.end('OK')).listen(+process.env.PORT, '127.0.0.1')`
const main = fileURLToPath(new URL('../server/dist/main.mjs', import.meta.url))

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
const startOf = async (program: readonly string[], env: NodeJS.ProcessEnv, port: number) => {
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
  for (let round = 0; round < rounds; round += 1) seen.push(await startOf(program, env, 41_000 + round))
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

const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-bench-start-'))
const quiet = { DATA_DIR: dataDir, INTAKE_INFLUX: '0', LOG_LEVEL: 'warn', HOST: '127.0.0.1' }
const bare = await starts(['-e', bareProgram], {})
// The first start makes the database; it is the others that are measured.
await startOf([main], quiet, 40_999)
const ours = await starts([main], quiet)
rmSync(dataDir, { recursive: true, force: true })
printTable([
  ['', 'bare node:http', 'Patchbay', 'goal'],
  ['start to first answer, ms', bare.milliseconds.toFixed(0), ours.milliseconds.toFixed(0), '500'],
  ['memory, idle, MB', bare.idle.toFixed(0), ours.idle.toFixed(0), '100'],
])

/** The peak while all that is heavy is asked for: lists, whole stores, searches. */
for (const engine of enginesAsked(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', '100000', '--busiest', '100'])
  try {
    const { server, token, accounts } = filled
    const account = accounts.find(({ name }) => name.startsWith('Alder'))?.account_sid ?? ''
    const calls = `/v1/Accounts/${account}/RecentCalls?page=1`
    for (const path of ['/v1/Accounts', `${calls}&count=500`, `${calls}&count=25&filter=5551`, `${calls}&count=25`])
      await press({ url: `${server.url}${path}`, token, connections: 20, duration: 4 }, [server.pid])
    const { peak, now } = memory(server.pid)
    printTable([
      [engine, 'MB', 'goal'],
      ['memory, peak under load', peak.toFixed(0), '200'],
      ['memory, after it', now.toFixed(0), ''],
    ])
  } finally {
    await filled.stop()
  }
}
