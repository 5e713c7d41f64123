import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type MariaDb, mariaDbClient, startMariaDb } from './mariadb.ts'

let server: MariaDb

beforeAll(async () => {
  server = await startMariaDb()
})

afterAll(() => server.stop())

async function rows(url: string, statement: string): Promise<RowDataPacket[]> {
  const connection = await createConnection(url)
  try {
    const [row] = await connection.query<RowDataPacket[]>(statement)
    return row
  } finally {
    await connection.end()
  }
}

test('creates separate databases and drops them', async () => {
  const named = await server.createDatabase('carriers')
  const unnamed = await server.createDatabase()
  expect(named).toBe(server.urlFor('carriers'))

  await rows(named, 'create table gateways (ipv4 varchar(16))')
  expect(await rows(named, 'show tables')).toHaveLength(1)
  expect(await rows(unnamed, 'show tables')).toHaveLength(0)

  await server.dropDatabase('carriers')
  await expect(rows(named, 'select 1')).rejects.toThrow('Unknown database')
})

test('uses utf8mb4 on every version', async () => {
  const url = await server.createDatabase()
  expect(await rows(url, 'select @@character_set_database charset, @@collation_database collation')).toEqual([
    { charset: 'utf8mb4', collation: 'utf8mb4_unicode_ci' },
  ])
})

test('rejects a name that requires quoting', async () => {
  await expect(server.createDatabase('a`b')).rejects.toThrow('no name for a test database')
})

test('keeps committed rows after a crash and a restart', async () => {
  const url = await server.createDatabase()
  const { pid } = server
  await rows(url, 'create table calls (call_sid varchar(36))')
  await rows(url, "insert into calls values ('before the crash')")

  await server.kill()
  await expect(rows(url, 'select * from calls')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await server.restart()
  expect(server.pid).not.toBe(pid)
  expect(await rows(url, 'select * from calls')).toEqual([{ call_sid: 'before the crash' }])

  await server.restart()
  expect(await rows(url, 'select * from calls')).toHaveLength(1)
})

test('runs two servers side by side, and removes the data of a stopped one', async () => {
  const other = await startMariaDb()
  const folder = dirname(other.socket)
  expect(other.port).not.toBe(server.port)
  expect(existsSync(folder)).toBe(true)

  await other.stop()
  expect(existsSync(folder)).toBe(false)
  await expect(rows(other.urlFor('mysql'), 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(await rows(server.urlFor('mysql'), 'select 1 as up')).toEqual([{ up: 1 }])
})

test('shares the project’s server with test files that know only its address', async () => {
  const shared = mariaDbClient(inject('mariadb'))
  const url = await shared.createDatabase('from_a_test_file')
  expect(await rows(url, 'select database() as name')).toEqual([{ name: 'from_a_test_file' }])
  await shared.dropDatabase('from_a_test_file')
})
