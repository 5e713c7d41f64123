import { dayMs } from '@patchbay/contract/shared/durations'
import { removeRecordingsBefore } from '@patchbay/server/call-data/recordings/file-recordings'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createWriter } from '@patchbay/server/database/write-transaction'
import { createOverwriteJob } from '@patchbay/server/jobs/overwrite-deleted-data'
import { createDataDeletion } from '@patchbay/server/resources/data-deletions/store'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { firstCallMs, type Tenant } from '../deletion-support.ts'
import { createMark, deleteMarked, expectDone } from './delete-marked.ts'
import { storeMarkedCall } from './filled-account.ts'
import { findInFiles, findTables, getEnd, overwriteFreedPages, readStored } from './stored-values.ts'

/** Deletions of call data leave nothing in any table and file. */

await overwriteFreedPages()
const api = await openTestApi()
const {
  admin,
  test: { database },
} = api

const createTenant = async (mark: string): Promise<Tenant> => {
  const service_provider_sid = await api.provider(`provider of ${mark}`)
  return { service_provider_sid, account_sid: await api.account(service_provider_sid) }
}
const rename = async ({ service_provider_sid }: Tenant) =>
  expectDone(await admin.put(`/ServiceProviders/${service_provider_sid}`, { name: `provider ${service_provider_sid}` }))

const { signal } = new AbortController()
const before = firstCallMs + dayMs

// A page without rows is overwritten in any case.
await storeMarkedCall(api, await createTenant(createMark()), createMark())

describe('deleting', () => {
  test('an account, and then its provider', async () => {
    const mark = createMark()
    const tenant = await createTenant(mark)
    await storeMarkedCall(api, tenant, mark)
    const remove = async () => {
      expectDone(await admin.delete(`/Accounts/${tenant.account_sid}`))
      expectDone(await admin.delete(`/ServiceProviders/${tenant.service_provider_sid}`))
    }
    expect(await deleteMarked(api, mark, remove)).toEqual([])
  })

  test.each<[string, (tenant: Tenant) => Promise<unknown>]>([
    [
      'the data before a time through the API',
      async ({ account_sid }) =>
        expectDone(
          await admin.post(`/patchbay/Accounts/${account_sid}/DataDeletions`, {
            before: new Date(before).toISOString(),
          }),
        ),
    ],
    [
      'the data before a time as the command does',
      ({ account_sid }) =>
        createWriter(database)('patchbay', (tx) => createDataDeletion(tx, account_sid, new Date(before).toISOString())),
    ],
    [
      'expired data',
      async () => {
        await removeBefore(database, 'calls', Date.now() + 1000)
        await removeRecordingsBefore(api.services.configuration.dataDir, Date.now(), signal)
        await createOverwriteJob({ database, signal })()
      },
    ],
  ])('%s', async (_, remove) => {
    const mark = createMark()
    const tenant = await createTenant(mark)
    await storeMarkedCall(api, tenant, mark)
    await rename(tenant)
    expect(await deleteMarked(api, mark, () => remove(tenant))).toEqual([])
  })

  test('a recording', async () => {
    const mark = createMark()
    const { account_sid, recording } = await storeMarkedCall(api, await createTenant(createMark()), mark)
    const inRecordings = async () =>
      (await findInFiles(api, [Buffer.from(getEnd(mark))])).filter((file) => /mp3/.test(file))
    expect(await inRecordings()).toHaveLength(1)
    expectDone(await admin.delete(`/Accounts/${account_sid}${recording}`))
    expect(await inRecordings()).toEqual([])
  })

  test('transcripts, by turning the search off', async () => {
    const mark = createMark()
    const tenant = await createTenant(createMark())
    await storeMarkedCall(api, tenant, mark)
    const listTranscripts = async () =>
      findTables(await readStored(api), mark).filter((table) => table.startsWith('patchbay_transcript'))
    expect(await listTranscripts()).not.toEqual([])
    expectDone(await admin.put(`/patchbay/Accounts/${tenant.account_sid}/TranscriptSettings`, { access: 'off' }))
    await createOverwriteJob({ database, signal })()
    expect(await listTranscripts()).toEqual([])
  })

  test('a user who has reviewed a call leaves the name in the review', async () => {
    const mark = createMark()
    const tenant = await createTenant(createMark())
    const user = { name: mark, email: `${mark}@example.org`, initial_password: 'A-first-passw0rd' }
    const user_sid = member(await admin.post('/Users', { ...user, account_sid: tenant.account_sid }), 'user_sid')
    const { token } = (await api.signIn(mark, user.initial_password)).body
    await storeMarkedCall(api, tenant, createMark(), api.as(token))
    const remove = async () => expectDone(await admin.delete(`/Users/${user_sid}`))
    expect(await deleteMarked(api, mark, remove)).toEqual(['patchbay_reviews'])
  })
})
