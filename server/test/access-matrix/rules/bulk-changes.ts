import { randomUUID } from 'node:crypto'
import type { KeyName, UserName } from '@patchbay/testkit/test-world'
import { type CallerName, everyone } from '../callers.ts'
import type { MatrixWorld } from '../matrix-world.ts'
import { defineRules } from '../rule.ts'

/** Creates a bulk change of the caller, or without a user and API key if the caller is not signed in. Returns its path. */
const ownChange = async (
  { api, users, keys }: MatrixWorld,
  caller: CallerName,
  operation: 'update' | 'delete' = 'delete',
): Promise<string> => {
  const bulk_change_sid = randomUUID()
  const row = {
    bulk_change_sid,
    user_sid: users[caller as UserName]?.user_sid ?? null,
    api_key_sid: keys[caller as KeyName]?.api_key_sid ?? null,
    address: '127.0.0.1',
    request_id: randomUUID(),
    kind: 'phone_number',
    operation,
    new_values: '{}',
    status: 'finished',
    total: 1,
    requested_at: Date.now(),
    finished_at: Date.now(),
    claimed_until: 0,
    failures: 0,
  }
  const { db } = api.test.database
  await db.insertInto('patchbay_bulk_changes').values(row).execute()
  // The record does not exist, so that an undo restores nothing.
  const change = { field: 'application_sid', before: null, after: randomUUID() }
  const record = {
    bulk_change_sid,
    position: 0,
    record_sid: randomUUID(),
    status: 'done',
    changed_values: JSON.stringify([change]),
  }
  await db.insertInto('patchbay_bulk_change_records').values(record).execute()
  return `/patchbay/bulk-changes/${bulk_change_sid}`
}

/** Records of another tenant fail one by one: see bulk-changes.test.ts. */
const own = { may: everyone, answers: 200 } as const

export const rules = defineRules({
  'POST /patchbay/bulk-changes': {
    ...own,
    writes: true,
    call: ({ things: { A } }) => ({
      path: '/patchbay/bulk-changes',
      body: {
        kind: 'phone_number',
        operation: 'update',
        values: { application_sid: null },
        sids: [A.phone_number_sid],
      },
    }),
  },
  'POST /patchbay/bulk-changes/dry-run': {
    ...own,
    writes: true,
    call: ({ things: { A } }) => ({
      path: '/patchbay/bulk-changes/dry-run',
      body: { kind: 'phone_number', sids: [A.phone_number_sid] },
    }),
  },
  'GET /patchbay/bulk-changes': { ...own, call: () => '/patchbay/bulk-changes' },
  'GET /patchbay/bulk-changes/:bulk_change_sid': { ...own, call: ownChange },
  'POST /patchbay/bulk-changes/:bulk_change_sid/cancel': {
    ...own,
    writes: true,
    answers: 204,
    call: async (world, caller) => ({ path: `${await ownChange(world, caller)}/cancel`, body: {} }),
  },
  'POST /patchbay/bulk-changes/:bulk_change_sid/undo': {
    ...own,
    writes: true,
    call: async (world, caller) => ({ path: `${await ownChange(world, caller, 'update')}/undo`, body: {} }),
  },
})
