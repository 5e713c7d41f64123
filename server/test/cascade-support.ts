import { randomUUID } from 'node:crypto'
import type { BulkChange } from '@patchbay/contract/bulk-changes'
import type { CascadeOwnerKind } from '@patchbay/contract/bulk-changes/kinds'
import { createBulkChangeJob } from '@patchbay/server/jobs/change-records'
import type { createCascade } from '@patchbay/server/resources/bulk-changes/cascade'
import { createRecordRunner } from '@patchbay/server/resources/bulk-changes/run-records'
import { createHandlers } from '@patchbay/server/resources/index'
import type { Caller, TestApi } from '@patchbay/testkit/test-api'
import { expect } from 'vitest'
import { getRow, type Row } from './fixtures.ts'

/** Deletions of accounts and service providers with their contents, in the API of a test. */

export type Handlers = ReturnType<typeof createHandlers>

export const openCascade = (api: TestApi, kind: CascadeOwnerKind) => {
  const { db } = api.test.database
  const handlers = createHandlers(api.services)

  const request = (caller: Caller, sid: string) =>
    caller.post('/patchbay/bulk-changes', { kind, operation: 'delete_cascade', sids: [sid] })

  /** Returns the audit entries of changes of an owner's records, oldest first. */
  const readEntries = async (sid: string): Promise<Row[]> => {
    const answer = await api.admin.get(`/patchbay/audit-trail?page=1&count=100&${kind}_sid=${sid}`)
    // Refused requests change nothing, and are recorded some time after them.
    return (getRow(answer)['data'] as Row[]).filter(({ action }) => action !== 'refused').toReversed()
  }

  return {
    handlers,
    request,
    readEntries,

    /** Creates the job that works on bulk changes. */
    createJob: (
      replaced: Partial<Handlers> = {},
      signal = new AbortController().signal,
      cascade?: ReturnType<typeof createCascade>,
    ) =>
      createBulkChangeJob({
        database: api.test.database,
        runRecords: createRecordRunner(api.services, { ...handlers, ...replaced }, cascade),
        now: Date.now,
        signal,
      }),

    /** Requests the deletion of an owner with its contents. */
    begin: async (caller: Caller, sid: string): Promise<BulkChange> => {
      const answer = await request(caller, sid)
      expect(answer.status).toBe(200)
      return answer.body as BulkChange
    },

    readChange: async (caller: Caller, { bulk_change_sid }: BulkChange): Promise<BulkChange> =>
      (await caller.get(`/patchbay/bulk-changes/${bulk_change_sid}`)).body as BulkChange,

    /** Returns how a bulk change is stored, also if its user cannot read it. */
    readStored: ({ bulk_change_sid }: BulkChange) =>
      db
        .selectFrom('patchbay_bulk_changes')
        .select(['status', 'stop_reason'])
        .where('bulk_change_sid', '=', bulk_change_sid)
        .executeTakeFirst(),

    /** Returns the number of audit entries by action and kind: `delete phone_number`. */
    countEntries: async (sid: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const entry of await readEntries(sid)) {
        const name = `${String(entry['action'])} ${String(entry['kind'])}`
        counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    },

    insertNumber: async (values: {
      account_sid?: string
      application_sid?: string
      service_provider_sid?: string
      voip_carrier_sid?: string
    }): Promise<string> => {
      const phone_number_sid = randomUUID()
      await db
        .insertInto('phone_numbers')
        .values({ phone_number_sid, number: phone_number_sid, ...values })
        .execute()
      return phone_number_sid
    },

    /** Inserts an outbound routing with a carrier. */
    insertRouting: async (
      voip_carrier_sid: string,
      owner: { account_sid?: string; service_provider_sid?: string },
    ): Promise<void> => {
      const [lcr_sid, lcr_route_sid] = [randomUUID(), randomUUID()]
      await db
        .insertInto('lcr')
        .values({ lcr_sid, name: 'shared', ...owner })
        .execute()
      await db.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '1', priority: 0 }).execute()
      const entry = { lcr_carrier_set_entry_sid: randomUUID(), lcr_route_sid, voip_carrier_sid }
      await db.insertInto('lcr_carrier_set_entry').values(entry).execute()
    },

    /** Inserts an application that a call route uses. */
    insertRoutedApplication: async (account_sid: string): Promise<string> => {
      const application_sid = randomUUID()
      await db.insertInto('applications').values({ application_sid, account_sid, name: 'Routed' }).execute()
      const route = { call_route_sid: randomUUID(), account_sid, application_sid, regex: '1' }
      await db
        .insertInto('call_routes')
        .values({ ...route, priority: 1 })
        .execute()
      return application_sid
    },
  }
}
