import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { builtServer, startServer } from '@patchbay/testkit/servers/server-process'
import { createConnection } from 'mysql2/promise'
import { expect, inject, test } from 'vitest'
import { version } from '../../package.json' with { type: 'json' }

interface Installation extends PersistentStore {
  /** Runs a statement in the database, and returns its rows. */
  query(sql: string): Promise<unknown[]>
  listTables: string
  /** Returns the files of the data folder, or the tables of the database server. */
  listContent(): Promise<unknown[]>
}

/** New databases. The data folder of SQLite does not exist yet. */
const engines: Readonly<Record<string, () => Promise<Installation>>> = {
  sqlite: () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'patchbay-migrate-')), 'data')
    const query = (sql: string) => {
      const database = new DatabaseSync(join(folder, 'patchbay.sqlite'))
      try {
        return Promise.resolve(database.prepare(sql).all())
      } finally {
        database.close()
      }
    }
    const listContent = () => Promise.resolve(existsSync(folder) ? readdirSync(folder) : [])
    return Promise.resolve({ ...sqliteStore(folder), query, listTables: 'SELECT name FROM sqlite_schema', listContent })
  },
  mariadb: async () => {
    const url = await mariaDbClient(inject('mariadb')).createDatabase()
    const query = async (sql: string) => {
      const connection = await createConnection(url)
      try {
        const [rows] = await connection.query(sql)
        return Array.isArray(rows) ? rows : []
      } finally {
        await connection.end()
      }
    }
    const listTables = 'SHOW TABLES'
    return { ...mysqlStore(url), query, listTables, listContent: () => query(listTables) }
  },
}

const run = (settings: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], HOST: '127.0.0.1', PORT: '0', ...settings }
    const child = execFile(process.execPath, [...builtServer, ...args], { env, cwd: tmpdir() }, (_e, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })

test.each(Object.entries(engines))('--plan lists changes, and migrate makes them (%s)', async (_engine, create) => {
  const { settings, query, listContent, remove } = await create()
  try {
    const planned = await run(settings, 'migrate', '--plan', '--json')
    expect(planned).toMatchObject({ code: 3, stderr: '' })
    const { pending } = JSON.parse(planned.stdout) as { pending: string[] }
    expect(pending[0]).toBe('0001-own-tables')
    const latest = pending.at(-1) ?? ''
    expect(await listContent()).toEqual([])

    const migrated = await run(settings, 'migrate', '--json')
    expect(migrated).toEqual({ code: 0, stderr: '', stdout: `${JSON.stringify({ applied: pending })}\n` })
    const content = await listContent()
    const current = { code: 0, stderr: '', stdout: 'The schema is current.\n' }
    expect(await run(settings, 'migrate', '--plan')).toEqual(current)
    expect(await run(settings, 'migrate')).toEqual(current)
    expect(await listContent()).toEqual(content)

    await query(`DELETE FROM patchbay_migrations WHERE name = '${latest}'`)
    const again = await run(settings, 'migrate', '--plan')
    expect(again).toEqual({ code: 3, stderr: '', stdout: `These schema changes are pending:\n  ${latest}\n` })
    expect(await query(`SELECT name FROM patchbay_migrations WHERE name = '${latest}'`)).toEqual([])
    expect(await run(settings, 'migrate')).toMatchObject({ stdout: `These schema changes were made:\n  ${latest}\n` })

    // The first start after a migration creates the administrator.
    const server = await startServer(settings)
    expect(server.firstPassword).not.toBe('')
    await server.stop()
  } finally {
    remove()
  }
})

test.each(Object.entries(engines))(
  'a database with a newer schema is refused, and not changed (%s)',
  async (_engine, create) => {
    const { settings, query, listTables, remove } = await create()
    try {
      const { applied } = JSON.parse((await run(settings, 'migrate', '--json')).stdout) as { applied: string[] }
      const latest = applied.at(-1) ?? ''
      const newer = '2099-01-01-call-costs'
      await query(`INSERT INTO patchbay_migrations (name, timestamp) VALUES ('${newer}', '2099-01-01T00:00:00.000Z')`)
      await query(`DELETE FROM patchbay_migrations WHERE name = '${latest}'`)
      await query('DROP TABLE patchbay_carrier_health_states')
      const tables = await query(listTables)
      const refuse = async (name: string, next: string) => {
        const message =
          `The database was used by ${name}, and this is Patchbay ${version}, which does not know these changes of the ` +
          `schema: ${newer}. Start ${next}, or restore a backup from before the upgrade. Nothing was changed.\n`
        for (const args of [[], ['start'], ['migrate'], ['migrate', '--plan'], ['reset-password']])
          expect(await run(settings, ...args)).toEqual({ code: 1, stdout: '', stderr: message })
      }
      await query("UPDATE patchbay_settings SET value = '9.8.7' WHERE setting = 'schema version'")
      await refuse('Patchbay 9.8.7', 'Patchbay 9.8.7 or later')
      await query("DELETE FROM patchbay_settings WHERE setting = 'schema version'")
      await refuse('a newer version of Patchbay', 'the newer version')
      expect(await query(listTables)).toEqual(tables)
      expect(await query(`SELECT name FROM patchbay_migrations WHERE name = '${latest}'`)).toEqual([])
    } finally {
      remove()
    }
  },
)

test('a database that cannot be reached or read has an explanation', async () => {
  const settings = {
    DATABASE_URL: 'mysql://user:a-password@127.0.0.1:1/patchbay',
    JWT_SECRET: 'a secret for tests only',
  }
  const unreachable = await run(settings, 'migrate', '--plan')
  expect(unreachable).toMatchObject({ code: 1, stdout: '' })
  expect(unreachable.stderr).toMatch(/^The database of DATABASE_URL cannot be reached: .*\.\n$/)
  expect(unreachable.stderr).not.toContain('a-password')
})
