import { createClient } from '@clickhouse/client'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The ClickHouse of the tests, used with the official client. */

let server: ClickHouseServer

beforeAll(async () => {
  server = await startClickHouse()
})

afterAll(() => server.stop())

const connect = (more: { url?: string } = {}) =>
  createClient({ url: server.url, compression: { request: true, response: true }, ...more })

test('inserts and reads rows with parameters, settings, and compression in both directions', async () => {
  const client = connect()
  await client.command({
    query: 'CREATE TABLE rows (id String, at Int64, tags Array(String)) ENGINE = MergeTree ORDER BY id',
  })
  const values = Array.from({ length: 2000 }, (_, index) => ({
    id: `${index} ä"'\\\n\t`,
    at: String(-9_223_372_036_854_775_808n + BigInt(index)),
    tags: [`it's ${index}`],
  }))
  await client.insert({ table: 'rows', values, format: 'JSONEachRow' })
  const result = await client.query({
    query:
      'SELECT * FROM rows WHERE id = {id:String} OR at IN {times:Array(Int64)} OR has({ids:Array(String)}, id) ORDER BY at',
    query_params: { id: values[7]?.id, times: [BigInt(values[8]?.at ?? 0)], ids: [values[9]?.id, 'none'] },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    format: 'JSONEachRow',
  })
  expect(await result.json()).toEqual(values.slice(7, 10))
  expect(result.response_headers['content-encoding']).toBe('gzip')
  const limited = client.query({ query: 'SELECT * FROM rows', clickhouse_settings: { max_rows_to_read: '10' } })
  await expect(limited).rejects.toMatchObject({ code: '158', type: 'TOO_MANY_ROWS' })
  await client.close()
})

test('reports exceptions, and rejects wrong credentials', async () => {
  const client = connect()
  await expect(client.query({ query: 'SELECT * FROM missing' })).rejects.toMatchObject({ code: '60' })
  await expect(client.query({ query: 'SELEC 1' })).rejects.toMatchObject({ code: '62' })
  const slow = { query: 'SELECT count() FROM numbers(1e11) WHERE sipHash64(number) = 1' }
  await expect(client.query({ ...slow, clickhouse_settings: { max_execution_time: 1 } })).rejects.toMatchObject({
    code: '159',
  })
  await client.close()
  const anonymous = connect({ url: server.url.replace(/:[^:@]*@/, ':wrong@') })
  await expect(anonymous.query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '516' })
  await anonymous.close()
})

test('stores an insert with the same deduplication token once, also in a materialized view, and keeps it after a crash', async () => {
  const client = connect()
  const window = 'SETTINGS non_replicated_deduplication_window = 100'
  await client.command({ query: `CREATE TABLE calls (id String) ENGINE = MergeTree ORDER BY id ${window}` })
  await client.command({
    query: `CREATE TABLE counts (hour UInt8, calls SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY hour ${window}`,
  })
  await client.command({
    query: 'CREATE MATERIALIZED VIEW counting TO counts AS SELECT 0 AS hour, count() AS calls FROM calls GROUP BY hour',
  })
  const insert = (token: string) =>
    client.insert({
      table: 'calls',
      values: [{ id: 'one' }, { id: 'two' }],
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: token, deduplicate_blocks_in_dependent_materialized_views: 1 },
    })
  const count = async () =>
    (
      await client.query({
        query: 'SELECT (SELECT count() FROM calls), (SELECT sum(calls) FROM counts)',
        format: 'TabSeparated',
      })
    ).text()
  await insert('a')
  await insert('a')
  expect(await count()).toBe('2\t2\n')
  await server.kill()
  await expect(count()).rejects.toThrow('ECONNREFUSED')
  await server.restart()
  await insert('a')
  expect(await count()).toBe('2\t2\n')
  await insert('b')
  expect(await count()).toBe('4\t4\n')
  await client.close()
})
