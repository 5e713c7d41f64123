import { readConfiguration } from '@patchbay/server/config/configuration'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createCertificate } from '@patchbay/testkit/certificate'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/mariadb'
import { sql } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** DATABASE_CA_FILE, against a server with a certificate. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-mysql-tls-'))
const own = createCertificate(folder, 'database', 'DNS:localhost')
const otherwise = createCertificate(folder, 'otherwise', 'DNS:db.example')

const servers: MariaDb[] = []
const start = async ({ cert, key }: typeof own): Promise<string> => {
  const server = await startMariaDb([`--ssl-cert=${cert}`, `--ssl-key=${key}`])
  servers.push(server)
  // A certificate is for a name.
  return (await server.createDatabase()).replace('127.0.0.1', 'localhost')
}

let url: string
beforeAll(async () => {
  url = await start(own)
})
afterAll(async () => {
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true })
})

/** What the server calls the cipher of the connection; empty for none. */
const cipherWith = async (variables: NodeJS.ProcessEnv): Promise<string> => {
  const { database: address } = readConfiguration({
    JWT_SECRET: 'a secret of the tests',
    DATABASE_URL: url,
    ...variables,
  })
  const database: Database = openDatabase(address, sqliteReader)
  try {
    const { rows } = await sql<{ Value: string }>`SHOW STATUS LIKE 'Ssl_cipher'`.execute(database.db)
    return rows[0]?.Value ?? ''
  } finally {
    await database.close()
  }
}

test('a server that is vouched for is spoken to in cipher, and without the setting in the clear', async () => {
  expect(await cipherWith({ DATABASE_CA_FILE: own.cert })).toMatch(/AES|CHACHA/)
  expect(await cipherWith({})).toBe('')
})

test('a server that somebody else vouches for, or that is called otherwise, is not spoken to', async () => {
  const other = createCertificate(folder, 'other').cert
  await expect(cipherWith({ DATABASE_CA_FILE: other })).rejects.toThrow(/certificate/)
  const settings = { DATABASE_CA_FILE: otherwise.cert, DATABASE_URL: await start(otherwise) }
  await expect(cipherWith(settings)).rejects.toThrow(/altnames/)
})

test('a file that cannot be read ends the start, and so does an address in place of a name', () => {
  const settings = { JWT_SECRET: 'a secret of the tests', DATABASE_URL: url, DATABASE_CA_FILE: join(folder, 'none') }
  expect(() => readConfiguration(settings)).toThrow(/DATABASE_CA_FILE/)
  const byAddress = { DATABASE_CA_FILE: own.cert, DATABASE_URL: url.replace('localhost', '127.0.0.1') }
  expect(() => readConfiguration({ ...settings, ...byAddress })).toThrow(/by the name/)
})
