import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { enter, mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody } from '@patchbay/testkit/crash/durability-ledger'
import { buildRelease, previousRelease } from '@patchbay/testkit/releases/released-version'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'

/** The drill of docs/how-to/back-up-and-upgrade.md#go-back: an upgrade from the previous release is undone. */

const createMysqlStore = async () => mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase())

/** The copies are those that every release supports: `patchbay backup` is newer than 0.2.0. */
const engines = {
  SQLite: {
    createStore: () => Promise.resolve(sqliteStore()),
    copy: (from: NodeJS.ProcessEnv, to: NodeJS.ProcessEnv) =>
      cpSync(from['DATA_DIR'] ?? '', to['DATA_DIR'] ?? '', { recursive: true }),
  },
  MariaDB: {
    createStore: createMysqlStore,
    copy: (from: NodeJS.ProcessEnv, to: NodeJS.ProcessEnv) => {
      const [source, target] = [from, to].map(({ DATABASE_URL = '' }) => new URL(DATABASE_URL).pathname.slice(1))
      const server = ['--no-defaults', `--socket=${inject('mariadb').socket}`, '--user=root']
      const dump = execFileSync('mariadb-dump', [...server, '--single-transaction', source ?? ''])
      execFileSync('mariadb', [...server, target ?? ''], { input: dump })
    },
  },
}

test.for(Object.keys(engines) as (keyof typeof engines)[])(
  'an upgrade on %s is undone with the backup from before it',
  async (engine) => {
    const { command } = buildRelease(previousRelease)
    const { createStore, copy } = engines[engine]
    const [store, backup] = [await createStore(), await createStore()]
    try {
      const old = await startServer(store.settings, command)
      const { apiKey } = await enter(old)
      const create = async (url: string, name: string) =>
        getBody(await callApi({ url }, apiKey, 'POST', '/ServiceProviders', { name }))
      const readNames = async (url: string) => {
        const providers = getBody(await callApi({ url }, apiKey, 'GET', '/ServiceProviders'))
        return (providers as { name: string }[]).map(({ name }) => name)
      }
      await create(old.url, 'before the upgrade')
      const names = await readNames(old.url)
      await old.stop()
      copy(store.settings, backup.settings)

      const upgraded = await startServer(store.settings)
      await create(upgraded.url, 'after the upgrade')
      await upgraded.stop()

      // The previous release ends with an error on the upgraded database, and does not change it.
      await expect(startServer(store.settings, command)).rejects.toThrow(
        /^the server ended with 1:\n[^]*previously executed migration \S+ is missing/,
      )

      const back = await startServer(backup.settings, command)
      expect(await readNames(back.url)).toEqual(names)
      await back.stop()

      const again = await startServer(store.settings)
      expect(await readNames(again.url)).toEqual([...names, 'after the upgrade'].toSorted())
      await again.stop()
    } finally {
      store.remove()
      backup.remove()
    }
  },
)
