import { randomUUID } from 'node:crypto'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { Lcr, LcrChange, NewLcr, NewWholeLcr, WholeLcrChange } from '@patchbay/contract/lcrs'
import { lcrTable } from '@patchbay/contract/lcrs/record'
import type { Kysely } from 'kysely'
import { preparedByScope } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import { getLcrOwner, isSameOwner } from './lcr-owner.ts'
import { columns, type LockedLcr, lockLcr } from './lock-lcr.ts'
import { findRoutes } from './routes/store.ts'
import { replaceRoutes } from './save-routes.ts'
import { canUseCarriers } from './usable-carriers.ts'

/** SQL of outbound routing tables (docs/reference/platform-api/outbound-routing.md#routings). */

const selectLcrs = (db: Kysely<Tables>) =>
  db
    .selectFrom('lcr')
    .select(columns.map((column) => `lcr.${column}` as const))
    .select((select) =>
      select
        .selectFrom('lcr_routes')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('lcr_routes.lcr_sid', '=', 'lcr.lcr_sid')
        .$asScalar()
        .$notNull()
        .as('number_routes'),
    )

const toLcr = (row: Lcr): Lcr => ({ ...row, ...getLcrOwner(row) })

export const createLcrStore = ({ db, reader }: Database) => {
  const ordered = () => selectLcrs(reader).orderBy('lcr.name').orderBy('lcr.lcr_sid')
  const findRows = preparedByScope(reader, {
    admin: ordered,
    service_provider: (sid) => ordered().where('lcr.service_provider_sid', '=', sid),
    account: (sid) => ordered().where('lcr.account_sid', '=', sid),
  })
  const one = prepared(db, (sid: string) => selectLcrs(db).where('lcr.lcr_sid', '=', sid))
  return {
    list: async (actor: Actor): Promise<Lcr[]> => (await findRows(actor)).map(toLcr),
    read: async (lcr_sid: string): Promise<Lcr | undefined> => (await one(lcr_sid)).map(toLcr)[0],
  }
}

const insertLcr = async (
  { trx }: WriteTransaction,
  { name, is_active = 1 }: Pick<NewLcr, 'name' | 'is_active'>,
  owner: Owner,
): Promise<LockedLcr> => {
  const row = { lcr_sid: randomUUID(), name, is_active, default_carrier_set_entry_sid: null, ...owner }
  await trx.insertInto('lcr').values(row).execute()
  return row
}

export const createLcr = async (write: WriteTransaction, input: NewLcr, owner: Owner): Promise<string> => {
  if (input.default_carrier_set_entry_sid) throwUnknownDefault()
  const after = await insertLcr(write, input, owner)
  write.record({ action: 'create', kind: 'lcr', sid: after.lcr_sid, before: null, after })
  return after.lcr_sid
}

/** Creates a routing table with its routes, as one entry in the audit trail. */
export const createWholeLcr = async (
  write: WriteTransaction,
  { routes, default_voip_carrier_sid, ...input }: NewWholeLcr,
  owner: Owner,
): Promise<string> => {
  const createdLcr = await insertLcr(write, input, owner)
  const after = await replaceRoutes(write, createdLcr, [], { routes, default_voip_carrier_sid })
  write.record({ action: 'create', kind: 'lcr', sid: createdLcr.lcr_sid, before: null, after })
  return createdLcr.lcr_sid
}

const throwUnknownDefault = () => throwInvalid('unknown default_carrier_set_entry_sid', 'default_carrier_set_entry_sid')

const isEntryOfLcr = async (
  { trx }: WriteTransaction,
  lcr_sid: string,
  lcr_carrier_set_entry_sid: string,
): Promise<boolean> =>
  (await trx
    .selectFrom('lcr_carrier_set_entry')
    .innerJoin('lcr_routes', 'lcr_routes.lcr_route_sid', 'lcr_carrier_set_entry.lcr_route_sid')
    .select('lcr_routes.lcr_sid')
    .where('lcr_carrier_set_entry_sid', '=', lcr_carrier_set_entry_sid)
    .where('lcr_routes.lcr_sid', '=', lcr_sid)
    .executeTakeFirst()) !== undefined

/** Checks that the new owner may use all carriers of the routes. */
const checkMove = async (write: WriteTransaction, lcr_sid: string, owner: Owner): Promise<void> => {
  const entries = await write.trx
    .selectFrom('lcr_carrier_set_entry')
    .innerJoin('lcr_routes', 'lcr_routes.lcr_route_sid', 'lcr_carrier_set_entry.lcr_route_sid')
    .select('voip_carrier_sid')
    .distinct()
    .where('lcr_routes.lcr_sid', '=', lcr_sid)
    .execute()
  const sids = entries.map(({ voip_carrier_sid }) => voip_carrier_sid)
  if (!(await canUseCarriers(write, owner, sids)))
    throwInvalid('the routes use carriers that this owner cannot use', 'account_sid')
}

type Settings = Pick<LcrChange, 'name' | 'is_active' | 'default_carrier_set_entry_sid'>

/** Updates a routing table and returns the new row. */
const updateLcr = async (
  { trx }: WriteTransaction,
  before: LockedLcr,
  { name, is_active, default_carrier_set_entry_sid }: Settings,
  owner: Owner,
): Promise<LockedLcr> => {
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(default_carrier_set_entry_sid === undefined
      ? {}
      : { default_carrier_set_entry_sid: default_carrier_set_entry_sid || null }),
    ...owner,
  }
  await trx.updateTable('lcr').set(changes).where('lcr_sid', '=', before.lcr_sid).execute()
  return { ...before, ...changes }
}

export const changeLcr = async (
  write: WriteTransaction,
  before: LockedLcr,
  changes: LcrChange,
  owner: Owner,
): Promise<void> => {
  const { lcr_sid } = before
  const entry = changes.default_carrier_set_entry_sid
  if (entry && !(await isEntryOfLcr(write, lcr_sid, entry))) throwUnknownDefault()
  if (!isSameOwner(owner, getLcrOwner(before))) await checkMove(write, lcr_sid, owner)
  const after = await updateLcr(write, before, changes, owner)
  write.record({ action: 'update', kind: 'lcr', sid: lcr_sid, before, after })
}

/** Changes a routing table and replaces all of its routes, which also removes carriers that a new owner may not use. */
export const changeWholeLcr = async (
  write: WriteTransaction,
  before: LockedLcr,
  { routes, default_voip_carrier_sid, ...changes }: WholeLcrChange,
  owner: Owner,
): Promise<void> => {
  const { lcr_sid } = before
  const previousRoutes = await findRoutes(write.trx, lcr_sid)
  const updatedLcr = await updateLcr(write, before, changes, owner)
  const after = await replaceRoutes(write, updatedLcr, previousRoutes, { routes, default_voip_carrier_sid })
  write.record({ action: 'update', kind: 'lcr', sid: lcr_sid, before: { ...before, routes: previousRoutes }, after })
}

export const deleteLcr = async (write: WriteTransaction, lcr_sid: string): Promise<void> => {
  const before = await lockLcr(write, lcr_sid)
  await deleteRecord(write, lcrTable, lcr_sid)
  write.record({ action: 'delete', kind: 'lcr', sid: lcr_sid, before, after: null })
}
