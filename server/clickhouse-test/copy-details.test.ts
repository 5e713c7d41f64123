import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqlSinks } from '@patchbay/server/call-data/call-data-sinks'
import { createSqlCaptures } from '@patchbay/server/call-data/captures/sql-captures'
import { type ClickHouse, createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { createLogCopy, createMessageCopy, createTraceCopy } from '@patchbay/server/call-data/clickhouse/copy-details'
import { type CopyPosition, type CopySource, copyTable } from '@patchbay/server/call-data/clickhouse/copy-table'
import { migrateClickHouse } from '@patchbay/server/call-data/clickhouse/migrate-clickhouse'
import { openClickHouse } from '@patchbay/server/call-data/clickhouse/open'
import { createSqlLogs } from '@patchbay/server/call-data/logs/sql-logs'
import { createSqlTraces } from '@patchbay/server/call-data/traces/sql-traces'
import { storeSpans } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import type { Database } from '@patchbay/server/database/engine'
import { openMigrated } from '@patchbay/server/database/migrations'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { otlpSpan, seenMessage } from '../test/fixtures.ts'

/** Copies of traces, log lines, and SIP messages from SQLite and MariaDB to ClickHouse. */

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
const dayMs = 86_400_000

/** Number of deliveries, of several days and of the same millisecond. They take three reads. */
const count = 250

describe.each(['sqlite', 'mariadb'] as const)('from %s', (engine) => {
  let database: Database
  let target: ClickHouseDatabase
  let clickHouse: ClickHouse
  let reader: Awaited<ReturnType<typeof openClickHouse>>

  beforeEach(async () => {
    const name = randomUUID()
    const url = engine === 'mariadb' ? await mariadb.createDatabase(`details_${name.slice(0, 8)}`) : undefined
    target = await createClickHouseDatabase()
    const configuration = testConfiguration({
      DATA_DIR: join(folder, name),
      ...(url ? { DATABASE_URL: url } : {}),
      ...target.settings,
    })
    database = (await openMigrated(configuration.database)).database
    if (configuration.clickHouse === null) throw new Error('ClickHouse is not configured')
    clickHouse = await createClickHouse(configuration.clickHouse)
    await migrateClickHouse(clickHouse, 0)
    reader = await openClickHouse(configuration.clickHouse, 0)
  })

  afterEach(async () => {
    await Promise.all([database.close(), clickHouse.close(), reader.close()])
    await target.drop()
  })

  /** Copies with a failure of the first insert, then completely, and then again. */
  const copyRepeatedly = async <Row extends object>(source: CopySource<Row>, rows: number): Promise<void> => {
    const failing: ClickHouse = { ...clickHouse, insert: () => Promise.reject(new Error('ClickHouse fails')) }
    await expect(copyTable(failing, source, undefined, () => {})).rejects.toThrow('ClickHouse fails')
    let last: CopyPosition | undefined
    const complete = { read: rows, inserted: rows, different: { first: [], count: 0 } }
    const remember = (_progress: unknown, position: CopyPosition) => {
      last = position
    }
    expect(await copyTable(clickHouse, source, undefined, remember)).toEqual(complete)
    expect(await copyTable(clickHouse, source, last, remember)).toEqual({ ...complete, read: 0, inserted: 0 })
    expect(await copyTable(clickHouse, source, undefined, remember)).toEqual({ ...complete, inserted: 0 })
  }

  const toTime = (index: number): number => start + Math.floor(index / 50) * dayMs

  test('copies traces, and finds a copy that differs', async () => {
    const traces = Array.from({ length: count }, (_, index) => {
      const trace_id = randomUUID().replaceAll('-', '')
      const attributes = [{ key: 'accountSid', value: { stringValue: `account ${index % 3}` } }]
      const spans = [otlpSpan(trace_id, { attributes, name: `'"\\\n😀 ${index}` }), otlpSpan(trace_id)]
      return { trace_id, resourceSpans: toResponseSpans([{ scopeSpans: [{ spans }] }]).traces.get(trace_id) ?? [] }
    })
    for (const [index, { trace_id, resourceSpans }] of traces.entries())
      await storeSpans(
        createSqlTraces(database, () => toTime(index)),
        trace_id,
        resourceSpans,
      )
    const source = createTraceCopy(database)
    await copyRepeatedly(source, count)
    for (const { trace_id, resourceSpans } of [traces[0], traces[120], traces[249]].flatMap((trace) => trace ?? []))
      expect(await reader.data.traces.read(trace_id)).toEqual({ resourceSpans })
    expect(await target.query('SELECT sum(items), uniqExact(account_sid) FROM trace_parts FORMAT TabSeparated')).toBe(
      `${2 * count}\t3\n`,
    )
    const changed = traces[7]?.trace_id ?? ''
    await target.query(
      `ALTER TABLE trace_parts UPDATE content = '[]' WHERE trace_id = '${changed}' SETTINGS mutations_sync = 1`,
    )
    const { different } = await copyTable(clickHouse, source, undefined, () => {})
    expect(different).toEqual({ first: [expect.stringContaining(changed)], count: 1 })
  })

  test('copies log lines, and finds a copy that differs', async () => {
    const ids = Array.from({ length: count }, () => randomUUID())
    for (const [index, call_id] of ids.entries())
      await createSqlLogs(database, () => toTime(index)).store([
        { call_id, text: `{"msg":"${index} ä😀"}` },
        { call_id, text: `{"msg":"two"}` },
      ])
    const source = createLogCopy(database)
    await copyRepeatedly(source, count)
    expect(await reader.data.logs.read({ call_sid: ids[200] ?? '', sip_callid: null } as never)).toEqual([
      `{"msg":"200 ä😀"}`,
      `{"msg":"two"}`,
    ])
    await target.query(
      `ALTER TABLE log_parts UPDATE content = '[]' WHERE call_id = '${ids[7]}' SETTINGS mutations_sync = 1`,
    )
    expect((await copyTable(clickHouse, source, undefined, () => {})).different.count).toBe(1)
  })

  test('copies SIP messages, and finds a copy that differs', async () => {
    const ids = Array.from({ length: count }, () => randomUUID())
    for (const [index, sip_callid] of ids.entries())
      await createSqlCaptures(database, () => toTime(index)).store([
        seenMessage(sip_callid, {
          at: start * 1000 + index,
          content: index % 2 ? randomBytes(300) : Buffer.from('SIP'),
        }),
      ])
    const source = createMessageCopy(database)
    await copyRepeatedly(source, count)
    for (const id of [ids[0], ids[121], ids[249]].flatMap((one) => one ?? []))
      expect(await reader.data.captures.read(id)).toEqual(await createSqlCaptures(database).read(id))
    await target.query(
      `ALTER TABLE sip_messages UPDATE source_port = 1 WHERE sip_callid = '${ids[7]}' SETTINGS mutations_sync = 1`,
    )
    const { different } = await copyTable(clickHouse, source, undefined, () => {})
    expect(different).toEqual({ first: [expect.stringContaining(ids[7] ?? '')], count: 1 })
  })

  test('copies nothing from an empty database', async () => {
    const none = { read: 0, inserted: 0, different: { first: [], count: 0 } }
    expect(await copyTable(clickHouse, createTraceCopy(database), undefined, () => {})).toEqual(none)
    expect(await copyTable(clickHouse, createMessageCopy(database), undefined, () => {})).toEqual(none)
    await createSqlSinks(database).logs.store([{ call_id: 'one', text: '{}' }])
    expect(await copyTable(clickHouse, createLogCopy(database), undefined, () => {})).toMatchObject({ inserted: 1 })
  })
})
