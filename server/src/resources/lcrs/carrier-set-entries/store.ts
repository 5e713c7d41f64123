import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import {
  type LcrCarrierSetEntry,
  type LcrCarrierSetEntryChange,
  lcrCarrierSetEntry,
  type NewLcrCarrierSetEntry,
} from '@patchbay/contract/lcr-carrier-set-entries'
import { type Database, lockForUpdate } from '../../../database/engine.ts'
import { prepared } from '../../../database/prepared-query.ts'
import type { WriteTransaction } from '../../../database/write-transaction.ts'
import { getLcrOwner } from '../lcr-owner.ts'
import { lockLcrOfRoute } from '../routes/store.ts'
import { checkCarriers } from '../usable-carriers.ts'

/** SQL of the carriers of outbound routes (docs/reference/platform-api/outbound-routing.md#carrier-set-entries). */

const columns = lcrCarrierSetEntry.keyof().options

export const createCarrierSetEntryStore = ({ db }: Database) => {
  const ofRoute = prepared(db, (sid: string) =>
    db
      .selectFrom('lcr_carrier_set_entry')
      .select(columns)
      .where('lcr_route_sid', '=', sid)
      .orderBy('priority')
      .orderBy('lcr_carrier_set_entry_sid'),
  )
  const one = prepared(db, (sid: string) =>
    db.selectFrom('lcr_carrier_set_entry').select(columns).where('lcr_carrier_set_entry_sid', '=', sid),
  )
  return {
    ofRoute: (lcr_route_sid: string): Promise<LcrCarrierSetEntry[]> => ofRoute(lcr_route_sid),
    read: async (sid: string): Promise<LcrCarrierSetEntry | undefined> => (await one(sid))[0],
  }
}

export const addCarrierSetEntry = async (write: WriteTransaction, entry: NewLcrCarrierSetEntry): Promise<string> => {
  const owner = getLcrOwner(await lockLcrOfRoute(write, entry.lcr_route_sid))
  await checkCarriers(write, owner, [entry.voip_carrier_sid])
  const sid = randomUUID()
  const after = { workload: 1, priority: 0, ...entry, lcr_carrier_set_entry_sid: sid }
  await write.trx.insertInto('lcr_carrier_set_entry').values(after).execute()
  write.record({ action: 'create', kind: 'lcr_carrier_set_entry', sid, owner, before: null, after })
  return sid
}

/** Reads an entry and locks its routing table, so that changes of the table run one after another. */
const lockEntry = async ({ trx, engine }: WriteTransaction, sid: string) => {
  const lcrs = trx
    .selectFrom('lcr')
    .innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid')
    .innerJoin('lcr_carrier_set_entry', 'lcr_carrier_set_entry.lcr_route_sid', 'lcr_routes.lcr_route_sid')
    .select(['lcr.default_carrier_set_entry_sid', 'lcr.account_sid', 'lcr.service_provider_sid'])
    .where('lcr_carrier_set_entry.lcr_carrier_set_entry_sid', '=', sid)
  const lcr = (await lockForUpdate(engine, lcrs).executeTakeFirst()) ?? throwApiError('not_found')
  const before = await trx
    .selectFrom('lcr_carrier_set_entry')
    .select(columns)
    .where('lcr_carrier_set_entry_sid', '=', sid)
    .executeTakeFirstOrThrow()
  return { before, lcr, owner: getLcrOwner(lcr) }
}

export const changeCarrierSetEntry = async (
  write: WriteTransaction,
  sid: string,
  { voip_carrier_sid, ...settings }: LcrCarrierSetEntryChange,
): Promise<void> => {
  const { before, owner } = await lockEntry(write, sid)
  if (voip_carrier_sid) await checkCarriers(write, owner, [voip_carrier_sid])
  const changes = { ...settings, ...(voip_carrier_sid ? { voip_carrier_sid } : {}) }
  if (Object.keys(changes).length > 0)
    await write.trx
      .updateTable('lcr_carrier_set_entry')
      .set(changes)
      .where('lcr_carrier_set_entry_sid', '=', sid)
      .execute()
  write.record({
    action: 'update',
    kind: 'lcr_carrier_set_entry',
    sid,
    owner,
    before,
    after: { ...before, ...changes },
  })
}

export const removeCarrierSetEntry = async (write: WriteTransaction, sid: string): Promise<void> => {
  const { before, lcr, owner } = await lockEntry(write, sid)
  if (lcr.default_carrier_set_entry_sid === sid) throwApiError('default_route_not_deletable')
  await write.trx.deleteFrom('lcr_carrier_set_entry').where('lcr_carrier_set_entry_sid', '=', sid).execute()
  write.record({ action: 'delete', kind: 'lcr_carrier_set_entry', sid, owner, before, after: null })
}
