import { parseArgs } from 'node:util'
import {
  mysqlStore,
  type PersistentStore,
  type Round,
  sqliteStore,
  startKillRounds,
} from '@patchbay/testkit/crash/crash-rounds'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { printTable } from './harness.ts'

/**
 * npm run bench:kill -- [--rounds 100] [--engine sqlite|mariadb|clickhouse] [--seed n]: kills the server at random moments during
 * writes, restarts it, and checks that all acknowledged writes exist.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(Date.now()) },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number')
if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a number')
if (!['sqlite', 'mariadb', 'clickhouse'].includes(values.engine))
  throw new Error('--engine must be sqlite, mariadb, or clickhouse')

/** Maximum duration of the writes before a kill, in milliseconds. */
const maxDelayMs = 1500

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const report = (done: readonly Round[], last: readonly string[]): number => {
  const of = (name: keyof Round['acknowledged']) => sum(done.map(({ acknowledged }) => acknowledged[name]))
  const restarts = done.map(({ restartMs }) => restartMs)
  const acknowledged = of('accounts') + of('changes') + of('calls') + of('traces')
  const lost = sum(done.map(({ problems }) => problems.length)) + last.length
  printTable([
    [
      'rounds',
      'acknowledged',
      'accounts',
      'changes',
      'calls',
      'traces',
      'sent again',
      'lost',
      'restart, mean',
      'restart, longest',
    ],
    [
      String(done.length),
      String(acknowledged),
      String(of('accounts')),
      String(of('changes')),
      String(of('calls')),
      String(of('traces')),
      String(sum(done.map(({ resentBatches }) => resentBatches))),
      String(lost),
      `${(sum(restarts) / done.length).toFixed(0)} ms`,
      `${Math.max(...restarts).toFixed(0)} ms`,
    ],
  ])
  return lost
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const printProblems = (problems: readonly string[]): void => {
  for (const problem of problems.slice(0, 20)) say(`  ${problem}`)
}

const run = async (store: PersistentStore): Promise<number> => {
  const kills = await startKillRounds(store, seed, { longestMoment: maxDelayMs })
  try {
    const done: Round[] = []
    while (done.length < rounds) {
      const round = await kills.round()
      done.push(round)
      const { acknowledged, problems, restartMs } = round
      const { accounts, changes, calls, traces } = acknowledged
      say(
        `round ${done.length} of ${rounds}: ${accounts} accounts, ${changes} changes, ${calls} calls, ${traces} traces acknowledged; ` +
          `restart ${restartMs.toFixed(0)} ms; ${problems.length === 0 ? 'all there' : 'LOST'}`,
      )
      printProblems(problems)
    }
    const last = await kills.all()
    printProblems(last)
    return report(done, last)
  } finally {
    await kills.end()
  }
}

say(`Killing the server on ${values.engine}, ${rounds} rounds, seed ${seed}`)
let mariadb: MariaDb | undefined
let clickHouse: ClickHouseServer | undefined
try {
  if (values.engine === 'mariadb') mariadb = await startMariaDb()
  if (values.engine === 'clickhouse') clickHouse = await startClickHouse()
  const store = mariadb ? mysqlStore(await mariadb.createDatabase('kills')) : sqliteStore()
  // ClickHouse stores the call records, and SQLite everything else.
  const lost = await run({ ...store, settings: { ...store.settings, ...clickHouse?.settings } })
  if (lost > 0) process.exitCode = 1
} finally {
  await Promise.all([mariadb?.stop(), clickHouse?.stop()])
}
