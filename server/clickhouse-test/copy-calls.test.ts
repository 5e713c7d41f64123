import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { createSqlCallSink } from '@patchbay/server/call-data/calls/sql-call-sink'
import { type ClickHouse, createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { createCallCopy } from '@patchbay/server/call-data/clickhouse/copy-calls'
import { type CopyPosition, type CopyProgress, copyTable } from '@patchbay/server/call-data/clickhouse/copy-table'
import { migrateClickHouse } from '@patchbay/server/call-data/clickhouse/migrate-clickhouse'
import type { Database } from '@patchbay/server/database/engine'
import { openMigrated } from '@patchbay/server/database/migrations'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { builtServer } from '@patchbay/testkit/servers/server-process'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callRecord, nanosecondsAt } from '../test/fixtures.ts'

/** Copies of call records from SQLite and MariaDB to ClickHouse. */

let mariadb: MariaDb
const folder = mkdtempSync(join(tmpdir(), 'patchbay-copy-'))

beforeAll(async () => {
  mariadb = await startMariaDb()
})

afterAll(async () => {
  await mariadb.stop()
  rmSync(folder, { recursive: true })
})

const start = Date.parse('2026-05-01T00:00:00Z')

/** Returns 12,000 calls of two accounts, which take three batches, and some special ones of a third account. */
const createCalls = (): CallRecord[] => {
  const many = [randomUUID(), randomUUID()].flatMap((account_sid) =>
    Array.from({ length: 6000 }, (_, index) =>
      callRecord(account_sid, {
        call_sid: randomUUID(),
        service_provider_sid: 'provider',
        // Several calls of a millisecond, and of a nanosecond, are in different batches.
        time: nanosecondsAt(start + Math.floor(index / 50)) + BigInt(index % 50 < 25 ? 0 : index % 50),
        duration: index % 90,
      }),
    ),
  )
  const account_sid = randomUUID()
  const none = { call_sid: null, service_provider_sid: null, sip_status: null, from: null, trunk: null }
  const special = [
    { ...none, time: -1n },
    { ...none, sip_callid: null, to: '' },
    {
      cost: 0.1,
      rate: 1 / 3,
      billed_seconds: 60,
      answered_at: start,
      terminated_at: start + 5,
      extra: { a: 'ä"\\', b: 1.5, c: true },
    },
    { from: 'x'.repeat(300), termination_reason: `'"\\\n😀` },
  ].map((more) => callRecord(account_sid, more))
  return [...many, ...special]
}

describe.each(['sqlite', 'mariadb'] as const)('from %s', (engine) => {
  let database: Database
  let settings: Record<string, string>
  let target: ClickHouseDatabase
  let clickHouse: ClickHouse
  let calls: CallRecord[]

  beforeEach(async () => {
    const name = randomUUID()
    const url = engine === 'mariadb' ? await mariadb.createDatabase(`copy_${name.slice(0, 8)}`) : undefined
    target = await createClickHouseDatabase()
    settings = {
      DATA_DIR: join(folder, name),
      ...(url ? { DATABASE_URL: url } : {}),
      JWT_SECRET: 'a secret that only tests use',
      ...target.settings,
    }
    const configuration = testConfiguration(settings)
    database = (await openMigrated(configuration.database)).database
    if (configuration.clickHouse === null) throw new Error('ClickHouse is not configured')
    clickHouse = await createClickHouse(configuration.clickHouse)
    await migrateClickHouse(clickHouse, 0)
    calls = createCalls()
    for (let from = 0; from < calls.length; from += 500)
      await createSqlCallSink(database).store(calls.slice(from, from + 500))
  })

  afterEach(async () => {
    await Promise.all([database.close(), clickHouse.close()])
    await target.drop()
  })

  const count = () =>
    target.query(
      "SELECT (SELECT count() FROM calls), (SELECT sum(calls) FROM call_hours WHERE owner_sid = 'provider') FORMAT TabSeparated",
    )

  test('copies all call records, continues after a failure, and finds differences', async () => {
    let inserts = 0
    const failing: ClickHouse = {
      ...clickHouse,
      insert: (...args) => {
        inserts += 1
        return inserts === 2 ? Promise.reject(new Error('ClickHouse fails')) : clickHouse.insert(...args)
      },
    }
    let last: CopyPosition | undefined
    let read = 0
    const remember = (progress: CopyProgress, position: CopyPosition) => {
      last = position
      read = progress.read
    }
    const source = createCallCopy(database)
    await expect(copyTable(failing, source, undefined, remember)).rejects.toThrow('ClickHouse fails')
    expect(read).toBeGreaterThan(0)
    const missing = calls.length - read
    const rest = { read: missing, inserted: missing, different: { first: [], count: 0 } }
    expect(await copyTable(clickHouse, source, last, remember)).toEqual(rest)
    expect(await count()).toBe(`${calls.length}\t12000\n`)

    const again = { read: calls.length, inserted: 0, different: { first: [], count: 0 } }
    expect(await copyTable(clickHouse, source, undefined, remember)).toEqual(again)
    expect(await count()).toBe(`${calls.length}\t12000\n`)

    const changed = calls[7000]?.call_sid ?? ''
    await database.db.updateTable('patchbay_calls').set({ duration: 1000 }).where('call_sid', '=', changed).execute()
    const different = { first: [changed], count: 1 }
    expect(await copyTable(clickHouse, source, undefined, remember)).toEqual({ ...again, different })
  })

  test('copies calls again that were deleted from ClickHouse after an earlier copy', async () => {
    const source = createCallCopy(database)
    await copyTable(clickHouse, source, undefined, () => {}, 'first')
    await target.query('ALTER TABLE calls DELETE WHERE true SETTINGS mutations_sync = 2')
    const { inserted, different } = await copyTable(clickHouse, source, undefined, () => {}, 'second')
    expect([inserted, different.count]).toEqual([calls.length, 0])
    expect(await target.query('SELECT count() FROM calls FORMAT TabSeparated')).toBe(`${calls.length}\n`)
  })

  test('a killed copy does not count as done for another ClickHouse', async () => {
    const [program = ''] = builtServer.slice(-1)
    const startCopy = (to: Readonly<Record<string, string>>) =>
      spawn(process.execPath, [program, 'call-data', 'copy', '--json'], {
        env: { PATH: process.env['PATH'], ...settings, ...to },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    const killed = startCopy({})
    killed.stderr.on('data', () => killed.kill('SIGKILL'))
    await once(killed, 'exit')
    const other = await createClickHouseDatabase()
    try {
      const copied = startCopy(other.settings)
      const [output] = await Promise.all([text(copied.stdout), once(copied, 'exit')])
      expect(JSON.parse(output)).toMatchObject({ calls: { read: calls.length, inserted: calls.length } })
    } finally {
      await other.drop()
    }
  })

  test('patchbay call-data copy reports what it copied, and differences', async () => {
    const [program = ''] = builtServer.slice(-1)
    const run = () => {
      const env = { PATH: process.env['PATH'], ...settings }
      return promisify(execFile)(process.execPath, [program, 'call-data', 'copy', '--json'], { env })
    }
    const none = { read: 0, inserted: 0 }
    expect(JSON.parse((await run()).stdout)).toEqual({
      calls: { read: calls.length, inserted: calls.length },
      traces: none,
      logs: none,
      captures: none,
    })
    const changed = calls[7000]?.call_sid ?? ''
    await database.db.updateTable('patchbay_calls').set({ duration: 1000 }).where('call_sid', '=', changed).execute()
    const message = `1 call records in ClickHouse differ from those in the database: ${changed}.`
    await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })
})
