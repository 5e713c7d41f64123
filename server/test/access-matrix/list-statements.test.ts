import { randomUUID } from 'node:crypto'
import { splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import type { Column, Table } from '@patchbay/server/database/columns'
import { type Database, sqlTime } from '@patchbay/server/database/engine'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { platformTables } from '@patchbay/server/database/platform-schema'
import type { Tables } from '@patchbay/server/database/tables'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { queryEvents } from '@patchbay/server/lib/telemetry'
import { beforeAll, describe, expect, test } from 'vitest'
import { alertRecord } from '../fixtures.ts'
import { say } from '../transcript-support.ts'
import { call, openMatrix } from './matrix-world.ts'
import type { EndpointName } from './rule.ts'
import { endpointNames, rules } from './rules.ts'

/** Lists never ask the database per row: the number of statements is the same for one row and for a hundred. */

const world = await openMatrix()

const copies = 99
/** Tables that no list shows, and where a copy would change the meaning of other rows, or that one engine lacks. */
const notCopied: readonly string[] = [
  'patchbay_audit_latest',
  'patchbay_conversation_queue',
  'patchbay_sessions',
  'patchbay_settings',
]

const canBeDistinct = ({ kind, references }: Column): boolean =>
  references === undefined && ['sid', 'text', 'integer', 'bigInteger'].includes(kind.is)

/** Returns the columns that must differ between two rows: one of each unique index, unless it refers to a parent. */
const listDistinctColumns = ({ columns, indexes }: Table): readonly string[] | undefined => {
  const keys = Object.keys(columns).filter((name) => columns[name]?.primary)
  const single = Object.keys(columns).filter((name) => columns[name]?.unique)
  const groups = [
    ...(keys.length === 0 ? [] : [keys]),
    ...single.map((name) => [name]),
    ...indexes.filter((index) => index.unique).map(({ on }) => on),
  ]
  const canDiffer = (name: string) => columns[name] !== undefined && canBeDistinct(columns[name])
  const distinct = groups.map((group) => group.findLast(canDiffer))
  return distinct.some((name) => name === undefined) ? undefined : distinct.filter((name) => name !== undefined)
}

let serial = 0
const makeDistinct = ({ kind }: Column, value: unknown): unknown => {
  if (value === null) return null
  if (kind.is === 'sid' || (typeof value === 'string' && value.length === 36)) return randomUUID()
  serial += 1
  // Times in microseconds stay within a few hours of the original.
  if (typeof value === 'number') return value + (kind.is === 'bigInteger' ? 1_000_003 : 1) * serial
  if (typeof value === 'string' && kind.is === 'text')
    return `${value.slice(0, kind.max - 8)}~${randomUUID().slice(0, 7)}`
  throw new Error(`a ${kind.is} cannot be made distinct`)
}

/** Adds copies of each row of a table. */
const copyRows = async ({ db, engine }: Database, name: keyof Tables, table: Table): Promise<void> => {
  const distinct = listDistinctColumns(table)
  if (distinct === undefined || notCopied.includes(name)) return
  const copyValue = (column: string, value: unknown): unknown => {
    const definition = table.columns[column]
    if (definition === undefined) throw new Error(`${name} has no ${column}`)
    if (distinct.includes(column)) return makeDistinct(definition, value)
    const isTime = definition.kind.is === 'dateTime' || definition.kind.is === 'timestamp'
    return isTime && typeof value === 'string' ? sqlTime(engine, new Date(value)) : value
  }
  const copy = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, copyValue(column, value)]))
  const rows: Readonly<Record<string, unknown>>[] = await db.selectFrom(name).selectAll().limit(50).execute()
  for (const row of rows)
    for (let copied = 0; copied < copies; copied += 11)
      await db
        .insertInto(name)
        .values(Array.from({ length: 11 }, () => copy(row)))
        .execute()
}

const copyAllRows = async (): Promise<void> => {
  const { database } = world.api.test
  for (const [name, table] of Object.entries<Table>({ ...platformTables, ...ownTables }))
    await copyRows(database, name as keyof Tables, table)
}

interface Measured {
  status: number
  statements: readonly string[]
  /** Rows of the response. Undefined if it is no list. */
  rows: number | undefined
}

const reads = endpointNames.filter((key) => splitKey(key).method === 'GET' && !('bytes' in contract[key]))

const countRows = (body: unknown): number | undefined => {
  const list: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : body
  return Array.isArray(list) ? list.length : undefined
}

const measure = async (key: EndpointName): Promise<Measured> => {
  const statements: string[] = []
  const unsubscribe = queryEvents.subscribe(({ sql }) => void statements.push(sql))
  try {
    const { status, body } = await call(key, rules[key], world, 'admin key')
    return { status, statements, rows: countRows(body) }
  } finally {
    unsubscribe()
  }
}

/**
 * The first request fills caches. Background work can add statements to a request, so the request with the fewest
 * statements counts.
 */
const measureAll = async (): Promise<ReadonlyMap<string, Measured>> => {
  const measured = new Map<string, Measured>()
  for (const key of reads) {
    const attempts = [await measure(key), await measure(key), await measure(key)]
    const [fewest] = attempts.toSorted((one, other) => one.statements.length - other.statements.length)
    if (fewest !== undefined) measured.set(key, fewest)
  }
  return measured
}

/** Adds what the world of the access matrix does not have: alerts, a conversation, and what callers can create. */
const addRows = async (): Promise<void> => {
  const { api, sid } = world
  const owner = { account_sid: sid.A, service_provider_sid: sid.P }
  await api.sinks.alerts.store([alertRecord(owner)])
  await say(api, owner, ['hello', 'hello, how can I help?'])
  await createTranscriptJob(api.services)()
  const credential = { vendor: 'nvidia', riva_server_uri: 'riva.example.org:50051', use_for_tts: 1 }
  await api.admin.post(`/ServiceProviders/${sid.P}/SpeechCredentials`, credential)
  await api.admin.post(`/patchbay/Accounts/${sid.A}/DataDeletions`, { before: '2020-01-01T00:00:00Z' })
  const { application_sid, ms_teams_tenant_sid } = world.things.A
  await api.admin.put(`/MicrosoftTeamsTenants/${ms_teams_tenant_sid}`, { application_sid })
  for (const key of endpointNames)
    if (splitKey(key).method === 'POST' && rules[key].answers === 201) await call(key, rules[key], world, 'admin key')
}

let few: ReadonlyMap<string, Measured>
let many: ReadonlyMap<string, Measured>

beforeAll(async () => {
  await addRows()
  // Statements of background work would count as those of the first requests.
  await world.api.services.backgroundTasks.settled()
  await world.api.services.trail.flush()
  few = await measureAll()
  await copyAllRows()
  many = await measureAll()
})

/**
 * Runs a statement for each kind of record to which the entries of a page refer, and pages of copies have other kinds.
 * audit-references.test.ts compares pages with the same kinds.
 */
const dependsOnKinds = 'GET /patchbay/audit-trail'

describe('the number of statements does not grow with the rows', () => {
  test.each(reads.filter((key) => key !== dependsOnKinds))('%s', (key) => {
    const [before, after] = [few.get(key), many.get(key)]
    expect(after?.status).toBe(before?.status)
    expect(after?.statements).toHaveLength(before?.statements.length ?? 0)
  })
})

/** Lists whose rows are not in the database, or that stay short. */
const shortLists: readonly string[] = [
  // In Redis.
  'GET /patchbay/registered-clients',
  'GET /Accounts/:account_sid/RegisteredSipUsers',
  'GET /Accounts/:account_sid/Calls',
  'GET /patchbay/service-providers/:service_provider_sid/live-calls',
  'GET /Accounts/:account_sid/Queues',
  'GET /Accounts/:account_sid/Conferences',
  // At Stripe.
  'GET /Prices',
  'GET /Accounts/:account_sid/Charges',
  // Each application once.
  'GET /patchbay/ms-teams-tenants/applications',
  // The first records, and only those that others use.
  'GET /patchbay/accounts/:account_sid/used-elsewhere',
  'GET /patchbay/service-providers/:service_provider_sid/used-elsewhere',
  // The request names the carriers, the call, or the group.
  'GET /patchbay/gateway-counts',
  'GET /patchbay/carrier-health',
  'GET /patchbay/carriers/:voip_carrier_sid/health-changes',
  'GET /patchbay/accounts/:account_sid/call-legs',
  'GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares',
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs',
  'GET /patchbay/accounts/:account_sid/alert-groups',
  'GET /patchbay/service-providers/:service_provider_sid/alert-groups',
  // Copies of transcripts are not in the index of words.
  'GET /patchbay/Accounts/:account_sid/ConversationSearch',
  'GET /patchbay/ServiceProviders/:service_provider_sid/ConversationSearch',
]

test('all other lists have many rows', () => {
  const lists = reads.filter((key) => few.get(key)?.rows !== undefined && !shortLists.includes(key))
  expect(lists.filter((key) => (many.get(key)?.rows ?? 0) < 20)).toEqual([])
})
