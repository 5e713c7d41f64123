import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { enter, sqliteStore, startKillRounds } from '@patchbay/testkit/crash/crash-rounds'
import {
  answered,
  countWrites,
  findLostWrites,
  isDone,
  keepWriting,
  type Ledger,
  openLedger,
  seeded,
  sendAgain,
  type Target,
} from '@patchbay/testkit/crash/durability-ledger'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Acknowledged call records survive kills of the built server and of ClickHouse. */

let clickHouse: ClickHouseServer

beforeAll(async () => {
  clickHouse = await startClickHouse()
})

afterAll(() => clickHouse.stop())

const createStore = () => {
  const store = sqliteStore()
  return { ...store, settings: { ...store.settings, ...clickHouse.settings } }
}

test('a killed server has stored every acknowledged call record once', async () => {
  const seed = Date.now()
  const kills = await startKillRounds(createStore(), seed)
  try {
    const problems: string[] = []
    for (let count = 1; count <= 5; count += 1) problems.push(...(await kills.round()).problems)
    problems.push(...(await kills.all()))
    expect({ seed, problems }).toEqual({ seed, problems: [] })
  } finally {
    await kills.end()
  }
})

test('ClickHouse is killed, then the server, while call records arrive: every acknowledged one is stored once', async () => {
  const store = createStore()
  const seed = Date.now()
  let server: RunningServer = await startServer(store.settings)
  let target: Target = await enter(server)
  const ledgers: Ledger[] = []

  const restart = async () => {
    server = await startServer(store.settings)
    target = { ...target, url: server.url, intakePort: server.intakePort, otlpPort: server.otlpPort }
  }
  const listWaiting = () =>
    readdirSync(join(server.dataDir, 'clickhouse-spool'), { recursive: true }).filter((name) =>
      String(name).endsWith('.json.gz'),
    )

  try {
    for (let round = 1; round <= 3; round += 1) {
      const ledger = await openLedger(target)
      ledgers.push(ledger)
      const writing = keepWriting(target, ledger, seeded(seed + round))
      await answered(ledger, isDone)
      await clickHouse.kill()
      await answered(ledger, isDone)
      const failures = ledger.answers.filter((answer) => !isDone(answer))
      await Promise.all([server.kill(), writing.stop()])
      expect({ seed, failures, hasCalls: countWrites(ledger).calls > 0 }).toEqual({
        seed,
        failures: [],
        hasCalls: true,
      })
      expect(listWaiting()).not.toEqual([])
      // The server starts without ClickHouse in every second round.
      if (round % 2 === 0) await clickHouse.restart()
      await restart()
      if (round % 2 === 1) await clickHouse.restart()
      await sendAgain(target, ledger)
      await expect.poll(listWaiting).toEqual([])
      expect({ seed, problems: await findLostWrites(target, ledger) }).toEqual({ seed, problems: [] })
    }
    for (const ledger of ledgers)
      expect({ seed, problems: await findLostWrites(target, ledger) }).toEqual({ seed, problems: [] })
  } finally {
    await server.stop()
    store.remove()
  }
})
