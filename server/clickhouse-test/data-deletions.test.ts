import { hourMs } from '@patchbay/contract/shared/durations'
import { type ClickHouse, createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { createClickHouseSteps } from '@patchbay/server/call-data/clickhouse/delete-call-data'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { openClickHouseApi } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-api'
import { expect, test } from 'vitest'
import {
  fillTables,
  firstCallMs,
  listDeletions,
  readDetails,
  runDeletions,
  storeCall,
} from '../test/deletion-support.ts'

/** Deletion of call data in ClickHouse. */

const { server, api } = await openClickHouseApi()

/** Returns the number of rows of an owner in each table that names one, and of all rows in the others. */
const countRows = async (owner: string): Promise<Record<string, number>> => {
  const columns = await server.query(
    `SELECT table, name FROM system.columns WHERE database = currentDatabase()
       AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
       AND name IN ('account_sid', 'owner_sid') FORMAT TabSeparated`,
  )
  const counts: Record<string, number> = {}
  for (const line of columns.trim().split('\n')) {
    const [table = '', column = ''] = line.split('\t')
    counts[table] = Number(await server.query(`SELECT count() FROM ${table} WHERE ${column} = '${owner}'`))
  }
  return counts
}

const countAll = async (table: string): Promise<number> => Number(await server.query(`SELECT count() FROM ${table}`))

const createTenant = async (provider?: string) => {
  const service_provider_sid = provider ?? (await api.provider())
  return { account_sid: await api.account(service_provider_sid), service_provider_sid }
}

test('a deletion leaves no row of the account in any table, and all rows of another one', async () => {
  const deleted = await createTenant()
  const other = await createTenant(deleted.service_provider_sid)
  for (const tenant of [deleted, other]) {
    await storeCall(api, tenant)
    await storeCall(api, tenant, { at: firstCallMs + hourMs })
    await fillTables(api, tenant)
    await server.query(
      `INSERT INTO call_costs (account_sid, attempted_at, call_key, cost)
       SELECT account_sid, attempted_at, call_key, 0.25 FROM calls WHERE account_sid = '${tenant.account_sid}'`,
    )
  }
  // The details of calls name no account here, so all of them are counted.
  const insert = (account_sid: string) =>
    server.query(
      `INSERT INTO trace_parts VALUES ('${account_sid}', 1, 'x', '${account_sid}', 1, 2, '[]'),
         ('${account_sid}', 90000000, 'y', '${account_sid}', 1, 2, '[]')`,
    )
  for (const tenant of [deleted, other]) await insert(tenant.account_sid)
  // The transcripts of `fillTables`, whose job does not run here.
  await createTranscriptJob(api.services)()
  const before = await countRows(other.account_sid)
  expect(Object.keys(before).toSorted()).toEqual([
    'call_costs',
    'call_hours',
    'call_ids',
    'calls',
    'log_parts',
    'trace_parts',
    'transcript_tokens',
  ])
  const details = await Promise.all(['trace_parts', 'log_parts', 'sip_messages'].map(countAll))
  expect(details).toEqual([12, 4, 4])

  await api.admin.delete(`/Accounts/${deleted.account_sid}`)
  await runDeletions(api)

  expect(Object.values(await countRows(deleted.account_sid)).filter((count) => count > 0)).toEqual([])
  expect(await countRows(other.account_sid)).toEqual(before)
  expect(await Promise.all(['trace_parts', 'log_parts', 'sip_messages'].map(countAll))).toEqual([6, 2, 2])
  // The marked rows are removed from the disk, too.
  expect(await server.query('SELECT count() FROM system.parts WHERE active AND has_lightweight_delete')).toBe('0\n')
})

test('a deletion waits for ClickHouse, and continues after a kill of it', async () => {
  const tenant = await createTenant()
  const call = await storeCall(api, tenant)
  const path = `/patchbay/Accounts/${tenant.account_sid}/DataDeletions`
  await api.admin.post(path, {})
  await server.kill()
  const errors: unknown[] = []
  await runDeletions(api, { onError: (error) => errors.push(error) })
  expect(errors).toHaveLength(1)
  expect(await listDeletions(api, tenant.account_sid)).toMatchObject([
    { status: 'running', last_error: 'The call data cannot be reached, please try again' },
  ])
  await server.restart()
  const later = Date.now() + hourMs
  await runDeletions(api, { now: () => later })
  expect(await listDeletions(api, tenant.account_sid)).toMatchObject([
    { status: 'finished', last_error: null, deleted: { calls: 1, traces: 2, logs: 1, captures: 1, alerts: 1 } },
  ])
  expect(await readDetails(api, call)).toEqual({ trace: false, linked: false, sip: false, log: false })
})

test('a deletion that ends between two changes of the sums subtracts its calls from the provider once', async () => {
  const deleted = await createTenant()
  const other = await createTenant(deleted.service_provider_sid)
  for (const tenant of [deleted, other]) await storeCall(api, tenant)
  const readTotal = async () => {
    const path = `/ServiceProviders/${deleted.service_provider_sid}/RecentCalls?page=1&count=25`
    return ((await api.admin.get(path)).body as { total: number }).total
  }
  expect(await readTotal()).toBe(2)
  const { configuration, database } = api.services
  if (configuration.clickHouse === null) throw new Error('no ClickHouse')
  const clickHouse = await createClickHouse(configuration.clickHouse)
  let failures = 0
  const failing: ClickHouse = {
    ...clickHouse,
    command(statement) {
      if (!statement.includes('DELETE WHERE owner_sid')) return clickHouse.command(statement)
      failures += 1
      return Promise.reject(new Error('killed'))
    },
  }
  const recordings = { deleteFiles: () => Promise.resolve(), deleteStored: () => Promise.resolve(0) }
  await api.admin.delete(`/Accounts/${deleted.account_sid}`)
  const steps = createClickHouseSteps(failing, database, recordings)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const now = Date.now() + attempt * hourMs
    await runDeletions(api, { steps, now: () => now, onError: () => {} })
  }
  expect(failures).toBe(3)
  const later = Date.now() + 10 * hourMs
  await runDeletions(api, { now: () => later })
  expect(await readTotal()).toBe(1)
  await clickHouse.close()
})
