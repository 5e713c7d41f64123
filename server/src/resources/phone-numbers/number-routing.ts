import { type Actor, can, noOwner, type Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { manyPhoneNumberEndpoints } from '@patchbay/contract/bulk-phone-numbers'
import { type PhoneNumber, phoneNumber } from '@patchbay/contract/phone-numbers'
import type { z } from 'zod'
import { ownedNumbers, toOwner } from '../../auth/owner-lookup.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Assignment of an application to several phone numbers. Each number succeeds or fails individually. */

const columns = phoneNumber.keyof().options

/** Locks the existing numbers in a fixed order, which prevents deadlocks. Returns them with their owners. */
export const lockNumbers = async (
  { trx, engine }: WriteTransaction,
  sids: readonly string[],
): Promise<Map<string, { row: PhoneNumber; owner: Owner }>> => {
  if (sids.length === 0) return new Map()
  const rows = await lockForUpdate(
    engine,
    trx
      .selectFrom('phone_numbers')
      .select(columns)
      .where('phone_number_sid', 'in', [...sids])
      .orderBy('phone_number_sid'),
  ).execute()
  const ownedRows = await ownedNumbers(trx)
    .select('phone_numbers.phone_number_sid')
    .where('phone_numbers.phone_number_sid', 'in', [...sids])
    .execute()
  const owners = new Map(ownedRows.map((one) => [one.phone_number_sid, toOwner(one)]))
  return new Map(rows.map((row) => [row.phone_number_sid, { row, owner: owners.get(row.phone_number_sid) ?? noOwner }]))
}

/**
 * Returns the account of an application and locks the application. Callers without access cannot tell whether it
 * exists.
 */
const resolveAccount = async (
  { trx, engine }: WriteTransaction,
  actor: Actor,
  application_sid: string,
): Promise<string | null> => {
  const rows = trx.selectFrom('applications').select(['account_sid', 'service_provider_sid'])
  const row = await lockForUpdate(engine, rows.where('application_sid', '=', application_sid)).executeTakeFirst()
  const account =
    row?.account_sid &&
    (await trx
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid'])
      .where('account_sid', '=', row.account_sid)
      .executeTakeFirst())
  return row && can(actor, 'write', account || row)
    ? row.account_sid
    : throwInvalid('unknown application_sid', 'application_sid')
}

type Routing = z.output<(typeof manyPhoneNumberEndpoints)['POST /patchbay/phone-numbers/routing']['responses'][200]>

export interface RoutingChange {
  /** Null removes the application. */
  application_sid: string | null
  /** Changes only numbers that have this application, or none if it is null. */
  current_application_sid?: string | null | undefined
}

/**
 * Assigns the application, or none, to the numbers. Returns the previous applications of those that were changed, and
 * why others could not be. Numbers that have the application already are neither.
 */
export const routeNumbers = async (
  write: WriteTransaction,
  actor: Actor,
  { application_sid, current_application_sid }: RoutingChange,
  requestedSids: readonly string[],
): Promise<Routing> => {
  const account_sid = application_sid === null ? null : await resolveAccount(write, actor, application_sid)
  const lockedNumbers = await lockNumbers(write, requestedSids)
  const getFailure = ({ account_sid: own, application_sid: current }: PhoneNumber): string | undefined => {
    if (application_sid !== null && own !== account_sid)
      return 'The application belongs to another account than this number'
    if (current_application_sid !== undefined && current !== current_application_sid && current !== application_sid)
      return 'The application has been changed in the meantime'
    return undefined
  }
  const routing: Routing = { changed: [], failed: [] }
  for (const phone_number_sid of new Set(requestedSids)) {
    const locked = lockedNumbers.get(phone_number_sid)
    if (locked === undefined || !can(actor, 'write', locked.owner)) {
      routing.failed.push({ phone_number_sid, number: null, why: 'This phone number does not exist' })
      continue
    }
    const { row, owner } = locked
    const why = getFailure(row)
    if (why !== undefined) {
      routing.failed.push({ phone_number_sid, number: row.number, why })
      continue
    }
    if (row.application_sid === application_sid) continue
    routing.changed.push({ phone_number_sid, previous_application_sid: row.application_sid })
    const after = { ...row, application_sid }
    const name = row.number
    write.record({ action: 'update', kind: 'phone_number', sid: phone_number_sid, name, owner, before: row, after })
  }
  const changedSids = routing.changed.map(({ phone_number_sid }) => phone_number_sid)
  if (changedSids.length > 0)
    await write.trx
      .updateTable('phone_numbers')
      .set({ application_sid })
      .where('phone_number_sid', 'in', changedSids)
      .execute()
  return routing
}
