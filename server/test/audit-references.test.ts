import { randomUUID } from 'node:crypto'
import {
  type AuditChange,
  type AuditEntry,
  maxReferencedRecords,
  type ReferencedRecord,
} from '@patchbay/contract/audit-trail'
import { toMoment } from '@patchbay/server/database/audit-tables'
import { queryEvents } from '@patchbay/server/lib/telemetry'
import type { Caller } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { getRow } from './fixtures.ts'

/** Names of the records to whose SIDs the changes of audit entries refer. */

const { api, world } = await openTestWorld()
const { sid, things, users, keys } = world
const ofP = await signedIn(api, users['user of P'])
const ofQ = await signedIn(api, users['user of Q'])

let lastMoment = toMoment(Date.now())

/** Adds entries about a record of provider P, one for each list of changes. Returns the SID of the record. */
const addEntries = async (...changes: readonly (readonly AuditChange[])[]): Promise<string> => {
  const record = randomUUID()
  const rows = changes.map((each) => ({
    moment: (lastMoment += 1),
    action: 'update',
    kind: 'phone_number',
    sid: record,
    name: 'a number',
    account_sid: null,
    service_provider_sid: sid.P,
    actor: 'patchbay',
    actor_sid: null,
    actor_name: null,
    actor_scope: null,
    address: null,
    request_id: null,
    changes: JSON.stringify(each),
    reason: null,
    times: 1,
  }))
  await api.test.database.db.insertInto('patchbay_audit_trail').values(rows).execute()
  return record
}

const toChange = (field: string, after: unknown, before: unknown = null): AuditChange => ({ field, before, after })

interface Page {
  data: AuditEntry[]
  referenced_records: ReferencedRecord[]
}

const read = async (record: string, caller: Caller = api.admin): Promise<Page> => {
  await api.services.trail.flush()
  return getRow(await caller.get(`/patchbay/audit-trail?page=1&count=500&sid=${record}`)) as unknown as Page
}

const readNames = async (record: string, caller?: Caller) =>
  Object.fromEntries((await read(record, caller)).referenced_records.map(({ kind, name }) => [kind, name]))

/** A value of each column that refers to a record with a name. */
const listChanges = (provider: 'P' | 'Q', account: 'A' | 'B') => [
  toChange('service_provider_sid', sid[provider]),
  toChange('account_sid', sid[account]),
  toChange('application_sid', things[account].application_sid),
  toChange('voip_carrier_sid', things[account].voip_carrier_sid),
  toChange('speech_credential_sid', things[account].speech_credential_sid),
  toChange('user_sid', users[`user of ${account}`].user_sid),
  toChange('lcr_sid', things[account].lcr_sid),
]

const namesIn = (provider: 'P' | 'Q', account: 'A' | 'B') => ({
  service_provider: `provider ${sid[provider]}`,
  account: `account ${sid[account]}`,
  application: `application ${things[account].application_sid}`,
  voip_carrier: `carrier ${things[account].voip_carrier_sid}`,
  speech_credential: 'nvidia',
  user: users[`user of ${account}`].name,
})

test('a page names the records of each kind to which its changes refer', async () => {
  const record = await addEntries(listChanges('P', 'A'))
  const lcr = `lcr ${things.A.lcr_sid}`
  expect(await readNames(record)).toEqual({ ...namesIn('P', 'A'), lcr })
  // A provider does not see the outbound routing of its accounts.
  expect(await readNames(record, ofP)).toEqual(namesIn('P', 'A'))
})

test('values before a change, and references with other names, are named', async () => {
  const { application_sid } = things.A
  const record = await addEntries([
    toChange('siprec_hook_sid', null, application_sid),
    toChange('device_calling_application_sid', things.A2.application_sid, application_sid),
  ])
  const { referenced_records } = await read(record, ofP)
  const expected = [application_sid, things.A2.application_sid].map((each) => ({
    kind: 'application',
    sid: each,
    name: `application ${each}`,
    is_deleted: false,
  }))
  expect(new Set(referenced_records)).toEqual(new Set(expected))
})

test('the names of records of another provider are only told to admins', async () => {
  const record = await addEntries(listChanges('Q', 'B'))
  expect((await read(record, ofP)).data).toHaveLength(1)
  expect(await readNames(record, ofP)).toEqual({})
  expect(await readNames(record)).toMatchObject(namesIn('Q', 'B'))
  const admin = await addEntries([toChange('user_sid', users.admin.user_sid)])
  expect(await readNames(admin, ofP)).toEqual({})
})

test('API keys, whose name is a secret, webhooks, and values that are no SIDs have no names', async () => {
  const record = await addEntries([
    toChange('api_key_sid', keys['key of P'].api_key_sid),
    toChange('call_hook_sid', randomUUID()),
    toChange('application_sid', { application_sid: things.A.application_sid }),
    toChange('description', things.A.application_sid),
  ])
  expect(await read(record)).toMatchObject({ data: [{ kind: 'phone_number' }], referenced_records: [] })
})

test('a deleted record has its last name, which only its own provider and admins see', async () => {
  const created = await api.admin.post('/VoipCarriers', { name: 'Old', service_provider_sid: sid.P })
  const carrier = String(getRow(created)['sid'])
  await api.admin.put(`/VoipCarriers/${carrier}`, { name: 'Last name' })
  const record = await addEntries([toChange('voip_carrier_sid', null, carrier)])
  expect(await readNames(record, ofP)).toEqual({ voip_carrier: 'Last name' })
  expect((await api.admin.delete(`/VoipCarriers/${carrier}`)).status).toBe(204)
  const deleted = [{ kind: 'voip_carrier', sid: carrier, name: 'Last name', is_deleted: true }]
  expect((await read(record)).referenced_records).toEqual(deleted)
  expect((await read(record, ofP)).referenced_records).toEqual(deleted)

  const foreign = await api.admin.post('/VoipCarriers', { name: 'Of Q', service_provider_sid: sid.Q })
  const carrierOfQ = String(getRow(foreign)['sid'])
  await api.admin.delete(`/VoipCarriers/${carrierOfQ}`)
  // A record of another kind that was deleted is no answer either.
  const wrongKind = toChange('application_sid', carrier)
  const other = await addEntries([toChange('voip_carrier_sid', carrierOfQ), wrongKind])
  expect(await readNames(other, ofP)).toEqual({})
  expect(await readNames(other)).toEqual({ voip_carrier: 'Of Q' })
  expect((await read(other, ofQ)).data).toEqual([])
})

test('a page of many entries needs as many statements as a page of one', async () => {
  const one = await addEntries(listChanges('P', 'A'))
  const many = await addEntries(
    ...Array.from({ length: 200 }, () => [
      ...listChanges('P', 'A'),
      ...listChanges('Q', 'B'),
      toChange('account_sid', randomUUID(), randomUUID()),
    ]),
  )
  const countStatements = async (record: string) => {
    let count = 0
    const unsubscribe = queryEvents.subscribe(() => (count += 1))
    await read(record, ofP)
    unsubscribe()
    return count
  }
  // The first request fills caches. Each page is read again, because background work adds statements now and then.
  const measure = async (record: string) =>
    Math.min(await countStatements(record), await countStatements(record), await countStatements(record))
  const fewest = await measure(one)
  // The names of deleted records take one more.
  expect(await measure(many)).toBe(fewest + 1)
})

test('a page names a limited number of records, those of its newest entries', async () => {
  const unknown = Array.from({ length: maxReferencedRecords }, () => [toChange('application_sid', randomUUID())])
  const [newest, oldest] = [toChange('account_sid', sid.A), toChange('account_sid', sid.A2)]
  const record = await addEntries([oldest], ...unknown.slice(0, 400), [newest])
  const expected = new Set([`account ${sid.A}`, `account ${sid.A2}`])
  expect(new Set((await read(record)).referenced_records.map(({ name }) => name))).toEqual(expected)
  const full = await addEntries([oldest], unknown.flat(), [newest])
  expect((await read(full)).referenced_records).toMatchObject([{ sid: sid.A }])
})
