import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfiguration } from '@patchbay/server/config/configuration'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Tests DATABASE_CA_FILE with a server that has a certificate. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-mysql-tls-'))
const own = createCertificate(folder, 'database', 'DNS:localhost')
const otherwise = createCertificate(folder, 'otherwise', 'DNS:db.example')

const servers: MariaDb[] = []
const start = async ({ cert, key }: typeof own): Promise<string> => {
  const server = await startMariaDb([`--ssl-cert=${cert}`, `--ssl-key=${key}`])
  servers.push(server)
  // Certificates are issued for a host name.
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

/** Returns the TLS cipher of the connection as reported by the server, or an empty string if it is not encrypted. */
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

test('connects with TLS if DATABASE_CA_FILE is set, and without TLS otherwise', async () => {
  expect(await cipherWith({ DATABASE_CA_FILE: own.cert })).toMatch(/AES|CHACHA/)
  expect(await cipherWith({})).toBe('')
})

test('rejects a server with a certificate from another CA or for another name', async () => {
  const other = createCertificate(folder, 'other').cert
  await expect(cipherWith({ DATABASE_CA_FILE: other })).rejects.toThrow(/certificate/)
  const settings = { DATABASE_CA_FILE: otherwise.cert, DATABASE_URL: await start(otherwise) }
  await expect(cipherWith(settings)).rejects.toThrow(/altnames/)
})

test('refuses to start with an unreadable CA file or with an IP address instead of a host name', () => {
  const settings = { JWT_SECRET: 'a secret of the tests', DATABASE_URL: url, DATABASE_CA_FILE: join(folder, 'none') }
  expect(() => readConfiguration(settings)).toThrow(/DATABASE_CA_FILE/)
  const byAddress = { DATABASE_CA_FILE: own.cert, DATABASE_URL: url.replace('localhost', '127.0.0.1') }
  expect(() => readConfiguration({ ...settings, ...byAddress })).toThrow(/by the name/)
})
