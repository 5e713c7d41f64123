import { applicationCounts, outcomeCounts } from '@patchbay/server/call-data/calls/call-counts'
import { recountCalls } from '@patchbay/server/call-data/calls/count-table'
import { createSqlCallSink } from '@patchbay/server/call-data/calls/sql-call-sink'
import { up as addHours } from '@patchbay/server/database/migrations/0003-call-hours'
import { up as addOutcomes } from '@patchbay/server/database/migrations/0023-call-outcomes'
import { up as addApplications } from '@patchbay/server/database/migrations/0024-call-applications'
import { toContext } from '@patchbay/server/database/migrations/index'
import { completeOlderRows } from '@patchbay/server/jobs/complete-older-rows'
import { createTestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callRecord } from './fixtures.ts'

test('existing calls get the same hourly counts as new ones', async () => {
  const { database, drop } = await createTestDatabase()
  const { db, engine } = database
  const hour = 3_600_000
  const calls = Array.from({ length: 60 }, (_, position) =>
    callRecord(position % 2 === 0 ? 'account-1' : 'account-2', {
      service_provider_sid: position % 5 === 0 ? null : 'provider',
      call_sid: `call-${position}`,
      // Some calls are before 1970, where rounding must still go down.
      time: BigInt((position - 30) * 20 * 60_000 + hour / 2) * 1_000_000n,
      trunk: position % 3 === 0 ? null : 'carrier',
      direction: position % 7 === 0 ? null : 'inbound',
      answered: position % 4 === 0,
      sip_status: position % 6 === 0 ? null : 200 + position,
      duration: position % 9 === 0 ? 0 : position * 70,
      application_sid: position % 2 === 0 ? 'menu' : position % 5 === 0 ? '' : null,
    }),
  )
  const store = createSqlCallSink(database)
  await store.store(calls)
  const counts = () =>
    db
      .selectFrom('patchbay_call_hours')
      .selectAll()
      .orderBy('owner_sid')
      .orderBy('by_kind')
      .orderBy('hour')
      .orderBy('trunk')
      .orderBy('direction')
      .orderBy('answered')
      .execute()
  const outcomes = () =>
    db
      .selectFrom('patchbay_call_outcomes')
      .selectAll()
      .orderBy('owner_sid')
      .orderBy('hour')
      .orderBy('sip_status')
      .orderBy('min_seconds')
      .orderBy('trunk')
      .orderBy('direction')
      .orderBy('answered')
      .execute()
  const applications = () =>
    db
      .selectFrom('patchbay_call_applications')
      .selectAll()
      .orderBy('owner_sid')
      .orderBy('hour')
      .orderBy('direction')
      .orderBy('answered')
      .execute()
  const incrementalCounts = await counts()
  const incrementalApplications = await applications()
  const incrementalOutcomes = await outcomes()
  for (const migrate of [addHours, addOutcomes, addApplications]) await migrate(toContext(database))
  expect(await applications()).toEqual(incrementalApplications)
  expect(incrementalApplications.reduce((sum, row) => sum + row.calls, 0)).toBe(30 + 24)
  expect(await counts()).toEqual(incrementalCounts)
  expect(await outcomes()).toEqual(incrementalOutcomes)
  expect(incrementalOutcomes.reduce((sum, row) => sum + row.calls, 0)).toBe(60 + 48)
  expect(incrementalCounts.length).toBeGreaterThan(50)

  const newCalls = calls.map((call, position) => ({
    ...call,
    service_provider_sid: 'provider',
    call_sid: `new-${position}`,
    time: call.time + 1n,
  }))
  // A process of an older version has stored the calls of every second hour, while new calls arrive.
  for (const table of ['patchbay_call_outcomes', 'patchbay_call_applications'] as const)
    await db.deleteFrom(table).where(sql<boolean>`hour % 2 = 0`).execute()
  await Promise.all([completeOlderRows(database), store.store(newCalls), completeOlderRows(database)])
  await completeOlderRows(database)
  const [completedOutcomes, completedApplications] = [await outcomes(), await applications()]
  await recountCalls(db, engine, outcomeCounts)
  await recountCalls(db, engine, applicationCounts)
  expect(completedOutcomes).toEqual(await outcomes())
  expect(completedApplications).toEqual(await applications())
  expect(completedOutcomes.reduce((sum, row) => sum + row.calls, 0)).toBe(60 + 48 + 2 * newCalls.length)
  await drop()
})
