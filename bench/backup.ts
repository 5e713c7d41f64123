import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Engine,
  type Filled,
  filledServer,
  memory,
  parseEngines,
  printTable,
  productionMariaDb,
  program,
  provideMariaDb,
  quantile,
  type Reader,
  scaled,
  startReader,
} from './harness.ts'

/**
 * npm run bench:backup [sqlite] [mariadb]: backs up a server with a million calls while another user works, verifies the
 * backup, and restores it into an empty database of the same engine.
 */

const calls = scaled(1_000_000, 500)
const quietMs = scaled(5000, 300)
const memoryIntervalMs = 100

interface Ran {
  seconds: number
  /** Peak resident memory in megabytes. */
  peak: number
}

/** Runs a command of Patchbay. */
const run = async (args: readonly string[], settings: NodeJS.ProcessEnv): Promise<Ran> => {
  const started = performance.now()
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak = 0
  const sampling = setInterval(() => {
    // The memory of a process that has ended is unknown.
    if (child.exitCode === null) peak = Math.max(peak, memory(child.pid ?? 0).peak || 0)
  }, memoryIntervalMs)
  const [code] = await once(child, 'exit')
  clearInterval(sampling)
  if (code !== 0) throw new Error(`patchbay ${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - started) / 1000, peak }
}

const restoreInto = async (engine: Engine, file: string): Promise<Ran> => {
  const database = await provideMariaDb(engine, productionMariaDb)
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-bench-restored-'))
  const url = await database?.createDatabase()
  try {
    return await run(['restore', file], { DATA_DIR: dataDir, ...(url && { DATABASE_URL: url }) })
  } finally {
    await database?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns the 95th percentile of another user's requests during some work. */
const measureOthers = async <T>(filled: Filled, work: () => Promise<T>): Promise<{ result: T; p95: string }> => {
  const reader: Reader = startReader(filled)
  try {
    const result = await work()
    return { result, p95: quantile(reader.times, 0.95).toFixed(1) }
  } finally {
    await reader.stop()
  }
}

const measure = async (filled: Filled, file: string): Promise<void> => {
  const { engine, settings } = filled
  const quiet = await measureOthers(filled, () => pause(quietMs))
  const backup = await measureOthers(filled, () => run(['backup', file], settings))
  const verified = await run(['backup', '--verify', file], settings)
  const restored = await restoreInto(engine, file)
  const row = (name: string, { seconds, peak }: Ran, others: string, goal: string) => [
    name,
    seconds.toFixed(1),
    peak.toFixed(0),
    others,
    goal,
  ]
  process.stdout.write(`\n${engine}, ${calls} calls, a backup of ${(statSync(file).size / 1e6).toFixed(1)} MB\n\n`)
  printTable([
    ['', 's', 'peak MB', 'others p95 ms', 'goal'],
    ['before', '', '', quiet.p95, ''],
    row('backup', backup.result, backup.p95, 'others under 100 ms'),
    row('verify', verified, '', ''),
    row('restore', restored, '', '60 s'),
  ])
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', String(calls), '--busiest', '100'])
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-backup-'))
  try {
    await measure(filled, join(folder, 'patchbay.backup'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await filled.stop()
  }
}
