import {
  killFirstStarts,
  mysqlStore,
  type PersistentStore,
  sqliteStore,
  startKillRounds,
} from '@patchbay/testkit/crash/crash-rounds'
import type { Written } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { expect, inject, test } from 'vitest'

/** Acknowledged writes survive a kill of the server. */

const killed = async (store: PersistentStore, rounds: number, what?: Written): Promise<string[]> => {
  const seed = Date.now()
  const kills = await startKillRounds(store, seed, { what })
  try {
    const problems: string[] = []
    for (let count = 1; count <= rounds; count += 1) problems.push(...(await kills.round()).problems)
    problems.push(...(await kills.all()))
    return problems.map((problem) => `seed ${seed}: ${problem}`)
  } finally {
    await kills.end()
  }
}

test('a killed first start is completed by the next, on SQLite', async () => {
  const seed = Date.now()
  expect({ seed, problems: await killFirstStarts(sqliteStore, 5, seed) }).toEqual({ seed, problems: [] })
})

test('a killed first start is completed by the next, on MariaDB', async () => {
  const seed = Date.now()
  const { createDatabase } = mariaDbClient(inject('mariadb'))
  const urls = await Promise.all(Array.from({ length: 6 }, () => createDatabase()))
  const newStore = () => mysqlStore(urls.pop() ?? '')
  expect({ seed, problems: await killFirstStarts(newStore, 5, seed) }).toEqual({ seed, problems: [] })
})

test('a killed server has stored every acknowledged write, on SQLite', async () => {
  expect(await killed(sqliteStore(), 5)).toEqual([])
})

test('a server killed during bulk changes has stored each change with its audit entry', async () => {
  expect(await killed(sqliteStore(), 3, 'accounts')).toEqual([])
})

test('a killed server has stored every acknowledged write, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killed(mysqlStore(url), 2)).toEqual([])
})
