import { randomUUID } from 'node:crypto'
import type { BulkChange, ListedBulkChange } from '@patchbay/contract/bulk-changes'
import { createBulkChangeJob } from '@patchbay/server/jobs/change-records'
import { createRecordRunner } from '@patchbay/server/resources/bulk-changes/run-records'
import { createHandlers } from '@patchbay/server/resources/index'
import { openTestWorld, signedIn, type UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { change, createBulkSupport, noAccess, postUndo, undo } from './bulk-change-support.ts'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Undo of a change of fields in bulk. */

const { api, world } = await openTestWorld()
const { A, A2 } = world.sid
const { db } = api.test.database
const as = (name: UserName) => signedIn(api, world.users[name])
const { fresh, create, createApplication, createCarrier, createCarriers, readCarrier, readEntries } =
  createBulkSupport(api)

describe('an undo', () => {
  test('restores the value that each record had, with one audit entry each', async () => {
    const user = await as('user of A')
    const [application, other] = [await createApplication(A), await createApplication(A)]
    const empty = await createCarrier(A)
    const used = await createCarrier(A, { application_sid: other })
    const equal = await createCarrier(A, { application_sid: application })
    const sids = [empty, used, equal]
    const changed = await change(user, { kind: 'voip_carrier', values: { application_sid: application }, sids })
    const counts = async () => Promise.all(sids.map(async (sid) => (await readEntries(sid)).length))
    expect([changed.done, await counts()]).toEqual([3, [2, 2, 1]])
    const undone = await undo(user, changed)
    expect(undone).toMatchObject({ total: 2, done: 2, failed: 0 })
    const stored = await Promise.all(sids.map(readCarrier))
    expect(stored.map(({ application_sid }) => application_sid)).toEqual([null, other, application])
    expect(await counts()).toEqual([3, 3, 1])
    const listed = (await user.get('/patchbay/bulk-changes')).body as ListedBulkChange[]
    expect(listed.find(({ bulk_change_sid }) => bulk_change_sid === changed.bulk_change_sid)?.undo_seconds).toBe(0)
  })

  test('keeps what was changed again since, and names the record', async () => {
    const [again = '', untouched = '', deleted = ''] = await createCarriers(A, 3)
    const values = { dtmf_type: 'tones', e164_leading_plus: 1 }
    const user = await as('user of A')
    const changed = await change(user, { kind: 'voip_carrier', values, sids: [again, untouched, deleted] })
    await api.admin.put(`/VoipCarriers/${again}`, { dtmf_type: 'info' })
    await api.admin.delete(`/VoipCarriers/${deleted}`)
    const { done, failed, failures } = await undo(user, changed)
    const { name, ...stored } = await readCarrier(again)
    expect([done, failed]).toEqual([1, 2])
    expect(failures).toEqual([
      { kind: 'voip_carrier', sid: again, name, reason: 'It was changed again since, and keeps its present values' },
      { kind: 'voip_carrier', sid: deleted, name: null, reason: noAccess },
    ])
    expect(stored).toMatchObject({ dtmf_type: 'info', e164_leading_plus: 1 })
    expect(await readCarrier(untouched)).toMatchObject({ dtmf_type: 'rfc2833', e164_leading_plus: 0 })
  })

  test('restores what the change of another field cleared or moved with it', async () => {
    const application_sid = await createApplication(A)
    const number = await create('/PhoneNumbers', { number: fresh(), account_sid: A, application_sid })
    const values = { account_sid: A2, application_sid: null }
    const changed = await change(api.admin, { kind: 'phone_number', values, sids: [number] })
    await undo(api.admin, changed)
    expect(getRow(await api.admin.get(`/PhoneNumbers/${number}`))).toMatchObject({ account_sid: A, application_sid })
  })

  const message =
    'This bulk change cannot be undone: it is not an update, was undone before, or ended more than a minute ago.'
  test('is possible once, for a minute, and for the user of the update only', async () => {
    const user = await as('user of A')
    const sids = await createCarriers(A, 1)
    const request = { kind: 'voip_carrier', values: { is_active: 0 }, sids }
    const changed = await change(user, request)
    for (const other of [await as('another user of A'), api.admin])
      expect((await postUndo(other, changed)).status).toBe(404)
    const undone = await undo(user, changed)
    for (const ended of [changed, undone]) expect(statusAndMessage(await postUndo(user, ended))).toEqual([422, message])
    const late = await change(user, request)
    await db
      .updateTable('patchbay_bulk_changes')
      .set({ finished_at: Date.now() - 60_000 })
      .where('bulk_change_sid', '=', late.bulk_change_sid)
      .execute()
    expect(statusAndMessage(await postUndo(user, late))).toEqual([422, message])
    const unchanged = await change(user, request)
    expect([unchanged.done, unchanged.undo_seconds, (await postUndo(user, unchanged)).status]).toEqual([1, 0, 422])
    const deleted = await change(user, { kind: 'voip_carrier', operation: 'delete', sids })
    expect([deleted.undo_seconds, (await postUndo(user, deleted)).status]).toEqual([0, 422])
  })

  test('of more than 100 records runs in the background, and continues after a restart', async () => {
    const user = await as('user of A')
    const rows = Array.from({ length: 101 }, () => ({ client_sid: randomUUID(), account_sid: A, username: fresh() }))
    await db.insertInto('clients').values(rows).execute()
    const sids = rows.map(({ client_sid }) => client_sid)
    const handlers = createHandlers(api.services)
    const stopping = new AbortController()
    const stopAfter = createRecordRunner(api.services, {
      ...handlers,
      'PUT /Clients/:client_sid': async (context) => {
        await handlers['PUT /Clients/:client_sid'](context)
        if (context.params.client_sid === sids[49]) stopping.abort()
      },
    })
    const createJob = (runRecords = createRecordRunner(api.services, handlers), { signal } = new AbortController()) =>
      createBulkChangeJob({ database: api.test.database, runRecords, now: Date.now, signal })
    const readChange = async ({ bulk_change_sid }: BulkChange) =>
      (await user.get(`/patchbay/bulk-changes/${bulk_change_sid}`)).body as BulkChange
    const changed = await change(user, { kind: 'client', values: { is_active: 0 }, sids })
    expect([changed.status, changed.undo_seconds, (await postUndo(user, changed)).status]).toEqual(['running', 0, 422])
    await createJob()()
    const undone = await undo(user, await readChange(changed))
    expect(undone).toMatchObject({ status: 'running', total: 101, done: 0 })
    await createJob(stopAfter, stopping)()
    expect(await readChange(undone)).toMatchObject({ status: 'running', done: 50 })
    await createJob()()
    expect(await readChange(undone)).toMatchObject({ status: 'finished', done: 101, failed: 0 })
    const active = await db
      .selectFrom('clients')
      .select('client_sid')
      .where('is_active', '=', 1)
      .where('client_sid', 'in', sids)
      .execute()
    expect(active).toHaveLength(101)
    const counts: number[] = []
    for (const sid of sids) counts.push((await readEntries(sid)).length)
    expect(new Set(counts)).toEqual(new Set([2]))
  })
})
