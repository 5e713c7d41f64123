import { randomUUID } from 'node:crypto'
import { insertIgnoringDuplicates, inTransaction } from '@patchbay/server/database/engine'
import { completeListIndexes, listIndexes, selectInListOrder } from '@patchbay/server/database/list-indexes'
import { migrate } from '@patchbay/server/database/migrations'
import { toContext } from '@patchbay/server/database/migrations/index'
import { alterTables } from '@patchbay/server/database/migrations/statements'
import type { Tables } from '@patchbay/server/database/tables'
import { queryEvents } from '@patchbay/server/lib/telemetry'
import { createApplicationStore } from '@patchbay/server/resources/applications/store'
import { createPhoneNumberStore } from '@patchbay/server/resources/phone-numbers/store'
import { createTestApi, member } from '@patchbay/testkit/test-api'
import { CompiledQuery, type Kysely } from 'kysely'
import { expect, test } from 'vitest'

/** Long lists on MariaDB, which are read in the order of an index. */

const dropIndex = (db: Kysely<Tables>, table: string, index: string) =>
  alterTables(toContext({ db, engine: 'mysql' }), { sqlite: [], mysql: [`DROP INDEX ${index} ON ${table}`] })

const hooks = { call_hook: { url: 'https://a.example' }, call_status_hook: { url: 'https://a.example' } }

const admin = {
  token: 'user',
  scope: 'admin',
  user_sid: null,
  account_sid: null,
  service_provider_sid: null,
  is_view_only: false,
  must_change_password: false,
} as const

test('the middle of a list is read from its index, also if sorting the table appears cheaper', async () => {
  const { test: testDatabase, close } = await createTestApi()
  const { db } = testDatabase.database
  /** Returns the index and the remarks of the plan for a page that follows as many rows as the table has. */
  const explain = async (missing: readonly string[]) => {
    const { sql, parameters } = selectInListOrder(db, 'mysql', new Set(missing), 'applications')
      .select('application_sid')
      .orderBy('name')
      .orderBy('application_sid')
      .limit(25)
      .offset(1_000_000)
      .compile()
    const { rows } = await db.executeQuery(CompiledQuery.raw(`EXPLAIN ${sql}`, [...parameters]))
    const [{ key, Extra: extra }] = rows as [{ key: string | null; Extra: string }]
    return { key, extra }
  }
  try {
    const { applications: listed } = listIndexes
    expect(await explain([])).toEqual({ key: listed, extra: 'Using index' })
    await dropIndex(db, 'applications', listed)
    expect((await explain([listed])).extra).toContain('Using filesort')
  } finally {
    await close()
  }
})

test('a whole list of numbers is read from its index, without sorting and without reading rows again', async () => {
  const api = await createTestApi()
  const { database } = api.test
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const numbers = Array.from({ length: 500 }, (_, nth) => ({
    phone_number_sid: randomUUID(),
    number: `1617${nth}`,
    account_sid,
  }))
  const statements: string[] = []
  try {
    await inTransaction(database, (trx) => insertIgnoringDuplicates(trx, 'mysql', 'phone_numbers', numbers))
    const unsubscribe = queryEvents.subscribe(({ sql }) => statements.push(sql))
    const list = await createPhoneNumberStore(database, new Set()).ofProvider(admin, service_provider_sid)
    unsubscribe()
    expect(list.map(({ number }) => number)).toEqual(numbers.map(({ number }) => number).toSorted())
    const [statement = ''] = statements
    const values = Array.from(statement.matchAll(/\?/g), () => service_provider_sid)
    const { rows } = await database.db.executeQuery(CompiledQuery.raw(`EXPLAIN ${statement}`, values))
    expect(rows[0]).toMatchObject({ table: 'phone_numbers', key: completeListIndexes.phone_numbers })
    expect(rows[0]).toMatchObject({ Extra: 'Using where; Using index' })
  } finally {
    await api.close()
  }
})

test('a database whose operator has not added the indexes of lists works without them', async () => {
  const api = await createTestApi()
  const { database } = api.test
  const account_sid = await api.account(await api.provider())
  const sid = member(await api.admin.post('/Applications', { name: 'reception', account_sid, ...hooks }), 'sid')
  try {
    await dropIndex(database.db, 'applications', listIndexes.applications)
    await dropIndex(database.db, 'phone_numbers', listIndexes.phone_numbers)
    await dropIndex(database.db, 'phone_numbers', completeListIndexes.phone_numbers)
    const { missingSchema } = await migrate(database)
    const indexes = [...Object.values(listIndexes), ...Object.values(completeListIndexes)]
    expect([...missingSchema].toSorted()).toEqual(indexes.toSorted())
    const applications = createApplicationStore(database, missingSchema, api.services.encryption)
    const numbers = createPhoneNumberStore(database, missingSchema)
    const page = { page: 1, page_size: 25 }
    expect(await applications.list(admin, {}, page)).toMatchObject({ total: 1, data: [{ application_sid: sid }] })
    expect(await numbers.page(admin, {}, page)).toMatchObject({ total: 0, data: [] })
    expect(await numbers.list(admin, {}, undefined)).toEqual([])
  } finally {
    await api.close()
  }
})
