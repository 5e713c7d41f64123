import { randomUUID } from 'node:crypto'
import { createClaimLeases, createQueueLeases, noLease } from '@patchbay/server/database/leases'
import { maxClockSkewMs } from '@patchbay/server/lib/clock'
import { createTestDatabase, openTestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

/** Leases of rows by two processes, each with connections of its own. */

const { database, address, drop } = await createTestDatabase()
const other = openTestDatabase(address)
afterAll(async () => {
  await other.close()
  await drop()
})

const now = 1_700_000_000_000
const durationMs = 60_000

describe('the lease of a row', () => {
  const leases = createClaimLeases({ table: 'patchbay_billing', key: ['account_sid'], durationMs })
  const { db } = database
  let row: { account_sid: string }
  beforeEach(async () => {
    row = { account_sid: randomUUID() }
    const values = { ...row, ...noLease, is_action: 0, asked: 0, looked: 0, failures: 0 } as const
    await db.insertInto('patchbay_billing').values(values).execute()
  })

  const read = () =>
    db.selectFrom('patchbay_billing').selectAll().where('account_sid', '=', row.account_sid).executeTakeFirstOrThrow()

  /** Returns whether a query with the condition selects the row. */
  const isFree = async (at: number): Promise<boolean> => {
    const rows = db.selectFrom('patchbay_billing').select('account_sid').where('account_sid', '=', row.account_sid)
    return (await rows.where(leases.isFree(at)).execute()).length === 1
  }

  const claim = async (at = now) => ({ ...row, claim: (await leases.claim(db, row, at)) ?? null })

  test('is given to one of two processes', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, attempt) => leases.claim(attempt % 2 === 0 ? db : other.db, row, now)),
    )
    const successful = claims.filter((one) => one !== undefined)
    expect(successful).toHaveLength(1)
    expect(await read()).toMatchObject({ claim: successful[0], claimed_until: now + durationMs })
  })

  test('belongs to that row only, and needs the other condition and sets the other values', async () => {
    const neighbor = { account_sid: randomUUID() }
    const values = { ...neighbor, ...noLease, is_action: 0, asked: 0, looked: 0, failures: 0 } as const
    await db.insertInto('patchbay_billing').values(values).execute()
    const condition = sql<boolean>`is_action = 0`
    expect(await leases.claim(db, row, now, { set: { is_action: 1 }, condition })).toBeDefined()
    expect(await read()).toMatchObject({ is_action: 1 })
    expect(await leases.claim(db, row, now + durationMs, { condition })).toBeUndefined()
    expect(await leases.claim(db, neighbor, now)).toBeDefined()
  })

  test('expires, and its holder cannot change the row after another process has taken over', async () => {
    const lost = await claim()
    expect(await isFree(now + durationMs - 1)).toBe(false)
    expect(await leases.claim(other.db, row, now + durationMs - 1)).toBeUndefined()
    expect(await isFree(now + durationMs)).toBe(true)
    const leased = { ...row, claim: (await leases.claim(other.db, row, now + durationMs)) ?? null }
    expect(leased.claim).not.toBeNull()
    expect(await leases.change(db, lost, { failures: 1 })).toBe(false)
    expect(await leases.release(db, lost)).toBe(false)
    expect(await read()).toMatchObject({ failures: 0, claim: leased.claim, claimed_until: now + 2 * durationMs })
    expect(await leases.change(other.db, leased, { failures: 2 })).toBe(true)
    expect(await read()).toMatchObject({ failures: 2 })
  })

  test('is kept by its holder after its end, until another process takes over', async () => {
    const leased = await claim()
    expect(await leases.change(db, leased, leases.extend(now + 2 * durationMs))).toBe(true)
    expect(await isFree(now + 3 * durationMs - 1)).toBe(false)
  })

  test('lasts longer if it is extended, also by the same values', async () => {
    const leased = await claim()
    for (let extension = 0; extension < 2; extension += 1)
      expect(await leases.change(db, leased, leases.extend(now + 1000))).toBe(true)
    expect(await leases.claim(other.db, row, now + durationMs)).toBeUndefined()
    expect(await leases.claim(other.db, row, now + durationMs + 1000)).toBeDefined()
  })

  test('ends when it is released', async () => {
    const leased = await claim()
    expect(await leases.release(db, leased, { failures: 3 })).toBe(true)
    expect(await read()).toMatchObject({ ...noLease, failures: 3 })
    expect(await leases.change(db, leased, { failures: 4 })).toBe(false)
    expect(await leases.claim(other.db, row, now)).toBeDefined()
  })

  test('ends if the clock is set back further than clocks differ', async () => {
    await claim()
    const skewed = now - maxClockSkewMs
    expect(await leases.claim(other.db, row, skewed)).toBeUndefined()
    expect(await leases.claim(other.db, row, skewed - 1)).toBeDefined()
  })
})

describe('the leases of a queue', () => {
  const longestMs = 600_000
  const leases = createQueueLeases({
    table: 'patchbay_conversation_queue',
    key: ['account_sid', 'call_sid'],
    dueAt: 'due_at',
    durationMs,
    longestMs,
  })
  const { db } = database
  const account_sid = randomUUID()
  beforeEach(async () => {
    await db.deleteFrom('patchbay_conversation_queue').execute()
  })

  /** Queues calls that are due at these times, with names in this order. */
  const queue = async (...times: readonly number[]): Promise<void> => {
    for (const [position, due_at] of times.entries()) {
      const row = { account_sid, call_sid: `call-${position}`, due_at, attempts: 0 }
      await db.insertInto('patchbay_conversation_queue').values(row).execute()
    }
  }

  const read = () => db.selectFrom('patchbay_conversation_queue').selectAll().orderBy('call_sid').execute()

  const claim = async (at: number, limit = 100, from = database): Promise<string[]> =>
    (await leases.claimDue(from, at, limit)).map(({ call_sid }) => call_sid)

  test('contain the rows that are due, in their order, up to a limit', async () => {
    await queue(now, now - 2, now + 1, now - 1)
    expect(await claim(now, 2)).toEqual(['call-1', 'call-3'])
    expect(await claim(now, 2)).toEqual(['call-0'])
    expect(await claim(now, 2)).toEqual([])
    expect((await read()).map(({ due_at }) => due_at)).toEqual([
      now + durationMs,
      now + durationMs,
      now + 1,
      now + durationMs,
    ])
  })

  test('are each given to one of two processes', async () => {
    await queue(...Array.from({ length: 30 }, (_, position) => now - position))
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, attempt) => claim(now, 3, attempt % 2 === 0 ? database : other)),
    )
    const call_sids = claims.flat()
    expect(new Set(call_sids).size).toBe(call_sids.length)
    for (let batch = await claim(now); batch.length > 0; batch = await claim(now)) call_sids.push(...batch)
    expect(call_sids).toHaveLength(30)
  })

  test('set other values, which the claimed rows contain', async () => {
    await queue(now)
    const update = ({ attempts }: { attempts: number }) => ({ attempts: attempts + 1 })
    const claimed = await leases.claimDue(database, now, 1, update)
    expect(claimed).toEqual(await read())
    expect(claimed).toMatchObject([{ attempts: 1, due_at: now + durationMs }])
  })

  test('expire, and the row can then no longer be changed or removed by its earlier holder', async () => {
    await queue(now)
    const [lost] = await leases.claimDue(database, now, 1)
    if (lost === undefined) throw new Error('no row was due')
    expect(await claim(now + durationMs - 1, 1, other)).toEqual([])
    const [leased] = await leases.claimDue(other, now + durationMs, 1)
    if (leased === undefined) throw new Error('the lease has not expired')
    expect(await leases.change(db, lost, { attempts: 7 })).toBe(false)
    await leases.remove(db, lost)
    expect(await read()).toEqual([leased])
    expect(await leases.change(other.db, leased, { attempts: 8 })).toBe(true)
    expect(await read()).toMatchObject([{ attempts: 8 }])
    await leases.remove(other.db, leased)
    expect(await read()).toEqual([])
  })

  test('are lost when the row is queued again', async () => {
    await queue(now)
    const [claimed] = await leases.claimDue(database, now, 1)
    if (claimed === undefined) throw new Error('no row was due')
    await db
      .updateTable('patchbay_conversation_queue')
      .set({ due_at: now + 5 })
      .execute()
    await leases.remove(db, claimed)
    expect(await leases.change(db, claimed, { due_at: 0 })).toBe(false)
    expect(await claim(now + 5)).toEqual(['call-0'])
  })

  test('contain rows whose time was stored before the clock was set back', async () => {
    await queue(now + longestMs + maxClockSkewMs, now + longestMs + maxClockSkewMs + 1, now)
    expect(await claim(now, 1)).toEqual(['call-2'])
    expect(await claim(now)).toEqual(['call-1'])
    expect(await claim(now)).toEqual([])
  })
})
