import type { Actor, Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { Lcr, LcrChange, NewLcr, NewWholeLcr, WholeLcrChange } from '@patchbay/contract/lcrs'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { deleteRouting } from '../shared/delete-routing.ts'
import { findRoutes } from './routes/store.ts'
import { isSameOwner, ownerOfLcr } from './resolve-owner.ts'
import { replaceRoutes } from './save-routes.ts'
import { canUseCarriers } from './usable-carriers.ts'
import { columns, lockLcr, type LockedLcr } from './lock-lcr.ts'

const rowsOf = (db: Kysely<Tables>) =>
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

const shown = (row: Lcr): Lcr => ({ ...row, ...ownerOfLcr(row) })

export const createLcrStore = ({ db, reader }: Database) => {
  const ordered = () => rowsOf(reader).orderBy('lcr.name').orderBy('lcr.lcr_sid')
  const lists = {
    admin: prepared(reader, () => ordered()),
    service_provider: prepared(reader, (sid: string) => ordered().where('lcr.service_provider_sid', '=', sid)),
    account: prepared(reader, (sid: string) => ordered().where('lcr.account_sid', '=', sid)),
  }
  const one = prepared(db, (sid: string) => rowsOf(db).where('lcr.lcr_sid', '=', sid))
  const listFor = ({ scope, account_sid, service_provider_sid }: Actor): Promise<Lcr[]> => {
    switch (scope) {
      case 'admin':
        return lists.admin()
      case 'service_provider':
        return lists.service_provider(service_provider_sid ?? '')
      case 'account':
        return lists.account(account_sid ?? '')
    }
  }
  return {
    list: async (actor: Actor): Promise<Lcr[]> => (await listFor(actor)).map(shown),
    read: async (lcr_sid: string): Promise<Lcr | undefined> => (await one(lcr_sid)).map(shown)[0],
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

export const createLcr = async (write: WriteTransaction, sent: NewLcr, owner: Owner): Promise<string> => {
  if (sent.default_carrier_set_entry_sid) unknownDefault()
  const after = await insertLcr(write, sent, owner)
  write.record({ action: 'create', kind: 'lcr', sid: after.lcr_sid, before: null, after })
  return after.lcr_sid
}

/** With its routes, one thing in the audit trail too. */
export const createWholeLcr = async (
  write: WriteTransaction,
  { routes, default_voip_carrier_sid, ...sent }: NewWholeLcr,
  owner: Owner,
): Promise<string> => {
  const made = await insertLcr(write, sent, owner)
  const after = await replaceRoutes(write, made, [], { routes, default_voip_carrier_sid })
  write.record({ action: 'create', kind: 'lcr', sid: made.lcr_sid, before: null, after })
  return made.lcr_sid
}

const unknownDefault = () => throwInvalid('unknown default_carrier_set_entry_sid', 'default_carrier_set_entry_sid')

const isEntryOf = async (
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

/** What belongs to another owner from now on may hold no carriers of the old one. */
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
    throwInvalid('its routes use carriers that this owner may not use', 'account_sid')
}

type Settings = Pick<LcrChange, 'name' | 'is_active' | 'default_carrier_set_entry_sid'>

/** What it is after it. */
const updateLcr = async (
  { trx }: WriteTransaction,
  before: LockedLcr,
  { name, is_active, default_carrier_set_entry_sid }: Settings,
  owner: Owner,
): Promise<LockedLcr> => {
  const sent = {
    ...(name === undefined ? {} : { name }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(default_carrier_set_entry_sid === undefined
      ? {}
      : { default_carrier_set_entry_sid: default_carrier_set_entry_sid || null }),
    ...owner,
  }
  await trx.updateTable('lcr').set(sent).where('lcr_sid', '=', before.lcr_sid).execute()
  return { ...before, ...sent }
}

export const changeLcr = async (
  write: WriteTransaction,
  before: LockedLcr,
  sent: LcrChange,
  owner: Owner,
): Promise<void> => {
  const { lcr_sid } = before
  const entry = sent.default_carrier_set_entry_sid
  if (entry && !(await isEntryOf(write, lcr_sid, entry))) unknownDefault()
  if (!isSameOwner(owner, ownerOfLcr(before))) await checkMove(write, lcr_sid, owner)
  const after = await updateLcr(write, before, sent, owner)
  write.record({ action: 'update', kind: 'lcr', sid: lcr_sid, before, after })
}

/** Its routes are all sent, so that they cannot hold carriers of another owner. */
export const changeWholeLcr = async (
  write: WriteTransaction,
  before: LockedLcr,
  { routes, default_voip_carrier_sid, ...sent }: WholeLcrChange,
  owner: Owner,
): Promise<void> => {
  const { lcr_sid } = before
  const stood = await findRoutes(write.trx, lcr_sid)
  const changed = await updateLcr(write, before, sent, owner)
  const after = await replaceRoutes(write, changed, stood, { routes, default_voip_carrier_sid })
  write.record({ action: 'update', kind: 'lcr', sid: lcr_sid, before: { ...before, routes: stood }, after })
}

export const deleteLcr = async (write: WriteTransaction, lcr_sid: string): Promise<void> => {
  const before = await lockLcr(write, lcr_sid)
  await deleteRouting(write, 'lcr_sid', lcr_sid)
  write.record({ action: 'delete', kind: 'lcr', sid: lcr_sid, before, after: null })
}
