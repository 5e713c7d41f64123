import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getAlertGroupKey } from '@patchbay/server/call-data/alerts/alert-group-keys'
import { itemState, reasonBit } from '@patchbay/server/call-data/reviews/review-items'
import { toMoment } from '@patchbay/server/database/audit-tables'
import { type Database, insertIgnoringDuplicates, inTransaction, openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import type { Tables } from '@patchbay/server/database/tables'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import type { Filled } from './harness.ts'

/** Fills the tables behind the lists of the console directly, because the API would take hours. */

/** The numbers of rows of each kind. */
export interface ListSizes {
  rows: number
  carriers: number
}

/** Rows per transaction. */
const batchSize = 5000

interface Owner {
  account_sid: string
  service_provider_sid: string
}

interface Filling {
  database: Database
  dice: Random
  owners: readonly Owner[]
}

/** Opens the database of a server directly. */
export const openFilled = ({ settings }: Filled): Database => {
  const url = settings['DATABASE_URL']
  return openDatabase(
    url === undefined
      ? { engine: 'sqlite', file: join(settings['DATA_DIR'] ?? '', 'patchbay.sqlite') }
      : { engine: 'mysql', url, connections: 2 },
    sqliteReader,
  )
}

/** Waits until the server has computed the conversations of all calls, which would slow down what is measured. */
export const untilConversationsComputed = async (filled: Filled): Promise<void> => {
  const database = openFilled(filled)
  try {
    while (
      (await database.db.selectFrom('patchbay_conversation_queue').select('call_sid').limit(1).execute()).length > 0
    )
      await pause(1000)
  } finally {
    await database.close()
  }
}

/** A row to insert. The database checks its columns. */
type Row = Readonly<Record<string, string | number | null>>

const insert = async (
  { database }: Filling,
  table: keyof Tables,
  count: number,
  createRow: (nth: number) => Row,
): Promise<void> => {
  for (let start = 0; start < count; start += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, count - start) }, (_, nth) => createRow(start + nth))
    await inTransaction(database, (trx) => insertIgnoringDuplicates(trx, database.engine, table, rows as never))
  }
}

const cities = ['Boston', 'Chicago', 'Denver', 'Lisbon', 'Oslo', 'Prague', 'Turin', 'Vienna'] as const
const uses = ['support', 'sales', 'billing', 'reception', 'survey', 'reminder'] as const

/** Names that begin with a word, so that their order is not that of the rows. */
const createName = (dice: Random, nth: number): string => `${dice.pick(cities)} ${dice.pick(uses)} ${nth}`

/** A minute in milliseconds, the time between two alerts or audit entries. */
const stepMs = 60_000

/**
 * Fills all lists: nine tenths of the phone numbers have an account, and alerts, applications, SIP clients, users, and calls
 * to review belong to the accounts evenly. One of 1,000 calls to review has failed.
 */
export const fillLists = async (filled: Filled, { rows, carriers }: ListSizes): Promise<void> => {
  const database = openFilled(filled)
  try {
    const accounts = await database.db.selectFrom('accounts').select(['account_sid', 'service_provider_sid']).execute()
    const owners = accounts.filter(({ service_provider_sid }) => service_provider_sid === filled.provider)
    const dice = createRandom(rows)
    const filling: Filling = { database, dice, owners }
    const carrierSids = Array.from({ length: carriers }, () => randomUUID())
    // Providers buy their numbers from a few carriers.
    const numberCarriers = carrierSids.slice(0, 50)
    await insert(filling, 'voip_carriers', carriers, (nth) => ({
      voip_carrier_sid: carrierSids[nth] ?? '',
      name: createName(dice, nth),
      service_provider_sid: filled.provider,
      account_sid: dice.roll() < 0.5 ? null : dice.pick(owners).account_sid,
    }))
    await insert(filling, 'phone_numbers', rows, (nth) => ({
      phone_number_sid: randomUUID(),
      number: `1617${2_000_000 + nth}`,
      voip_carrier_sid: dice.pick(numberCarriers),
      account_sid: dice.roll() < 0.9 ? dice.pick(owners).account_sid : null,
    }))
    await insert(filling, 'applications', rows, (nth) => ({
      application_sid: randomUUID(),
      name: createName(dice, nth),
      account_sid: dice.pick(owners).account_sid,
    }))
    await insert(filling, 'clients', rows, (nth) => ({
      client_sid: randomUUID(),
      account_sid: dice.pick(owners).account_sid,
      username: `${dice.pick(uses)}${nth}`,
    }))
    await insert(filling, 'users', rows, (nth) => ({
      user_sid: randomUUID(),
      name: `${dice.pick(uses)}.${nth}`,
      email: `${nth}@users.example`,
      provider: 'local',
      hashed_password: null,
      account_sid: dice.pick(owners).account_sid,
    }))
    const start = Date.now() - rows * stepMs
    await insert(filling, 'patchbay_alerts', rows, (nth) => {
      const alert = {
        alert_type: dice.pick(['webhook-failure', 'tts-failure', 'no-carrier'] as const),
        message: `The request to hook ${nth % 100} failed`,
        detail: null,
        target_sid: null,
        vendor: null,
        ...dice.pick(owners),
      }
      return {
        ...alert,
        raised_at: start + nth * stepMs,
        raised_ns: 0,
        fingerprint: randomUUID(),
        group_key: getAlertGroupKey(alert),
      }
    })
    await insert(filling, 'patchbay_audit_trail', rows, (nth) => ({
      moment: toMoment(start + nth * stepMs),
      action: dice.pick(['create', 'update', 'delete'] as const),
      kind: 'phone_number',
      sid: randomUUID(),
      name: `1617${2_000_000 + nth}`,
      ...dice.pick(owners),
      actor: 'user',
      actor_name: 'provider-user',
      actor_scope: 'service_provider',
      address: '192.0.2.1',
      request_id: randomUUID(),
      changes: '[{"field":"application_sid","before":null,"after":"changed"}]',
      times: 1,
    }))
    await insert(filling, 'patchbay_review_items', rows, (nth) => ({
      ...dice.pick(owners),
      call_sid: randomUUID(),
      started_at: start + nth * stepMs,
      reasons: reasonBit(nth % 1000 === 0 ? 'failed' : dice.pick(['slow', 'interrupted', 'random'] as const)),
      state: dice.roll() < 0.1 ? itemState.reviewed : itemState.toReview,
      lowest_score: null,
      assignee_sid: null,
      check_at: null,
    }))
  } finally {
    await database.close()
  }
}
