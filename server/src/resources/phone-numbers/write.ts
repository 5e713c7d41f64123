import { randomUUID } from 'node:crypto'
import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import {
  type NewPhoneNumber,
  type PhoneNumber,
  type PhoneNumberChange,
  phoneNumber,
} from '@patchbay/contract/phone-numbers'
import { lockAccessibleRow, ownedNumbers, readOwner, toOwner } from '../../auth/owner-lookup.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import { classifyDbError } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkApplication } from '../shared/check-application.ts'

/** Changes of phone numbers (docs/reference/platform-api/numbers-and-clients.md#phone-numbers). */

const columns = phoneNumber.keyof().options

const findOwner = async ({ trx }: WriteTransaction, phone_number_sid: string): Promise<Owner> =>
  toOwner(
    await ownedNumbers(trx).where('phone_numbers.phone_number_sid', '=', phone_number_sid).executeTakeFirstOrThrow(),
  )

/**
 * Returns whether an account may receive calls over a carrier: its own, the shared ones of its provider, and carriers
 * without an owner that an admin has assigned.
 */
const canServe = (carrier: Owner, { account_sid, service_provider_sid }: Owner): boolean =>
  account_sid === null ||
  carrier.account_sid === account_sid ||
  (carrier.account_sid === null && (carrier.service_provider_sid ?? service_provider_sid) === service_provider_sid)

/** Returns whether a caller may name a carrier. Only admins may name carriers without an owner. */
const canName = (actor: Actor, carrier: Owner): boolean =>
  actor.scope === 'account'
    ? carrier.service_provider_sid !== null && canServe(carrier, actor)
    : can(actor, 'write', carrier)

/**
 * Checks that the caller may name a carrier and that it can serve the owner. Callers without access cannot tell whether
 * the carrier exists.
 */
const checkCarrier = async (
  write: WriteTransaction,
  actor: Actor,
  voip_carrier_sid: string,
  newOwner: Owner,
): Promise<void> => {
  const carrier = await readOwner(write.trx, 'voip_carrier', voip_carrier_sid)
  if (carrier === undefined || !canName(actor, carrier))
    return throwInvalid(`voip_carrier not found for sid ${voip_carrier_sid}`, 'voip_carrier_sid')
  if (!canServe(carrier, newOwner)) throwInvalid('voip_carrier_sid does not belong to the account', 'voip_carrier_sid')
}

/**
 * Rejects a change after which the caller would lose access to the number. A provider's number must belong to one of
 * its accounts or be on one of its carriers.
 */
const checkStillAccessible = (actor: Actor, owner: Owner): void => {
  if (!can(actor, 'write', owner)) throwInvalid('account_sid missing', 'account_sid')
}

/**
 * Returns the provider of a test number. Only admins can set it, and it must match the provider of the number's
 * account.
 */
const resolveTester = (
  { scope }: Actor,
  { service_provider_sid: requested }: Pick<NewPhoneNumber, 'service_provider_sid'>,
  current: string | null,
  newOwner: Owner,
): string | null => {
  const tester = scope === 'admin' && requested !== undefined ? requested || null : current
  return newOwner.account_sid === null || tester === newOwner.service_provider_sid ? tester : null
}

const insert = async ({ trx }: WriteTransaction, row: PhoneNumber): Promise<void> => {
  try {
    await trx.insertInto('phone_numbers').values(row).execute()
  } catch (error) {
    // The name of the unique index differs between databases, so the error names the field explicitly.
    if (classifyDbError(error)?.fault !== 'duplicate') throw error
    throwApiError('duplicate', { msg: 'Duplicate entry: number is already in use on this carrier', field: 'number' })
  }
}

export const createPhoneNumber = async (
  write: WriteTransaction,
  actor: Actor,
  input: NewPhoneNumber,
): Promise<string> => {
  const newOwner = await resolveOwner(write.trx, actor, input)
  const { account_sid } = newOwner
  const voip_carrier_sid = input.voip_carrier_sid || null
  const application_sid = input.application_sid || null
  if (voip_carrier_sid !== null) await checkCarrier(write, actor, voip_carrier_sid, newOwner)
  await checkApplication(write, application_sid, account_sid)
  const { number } = input
  const phone_number_sid = randomUUID()
  const service_provider_sid = resolveTester(actor, input, null, newOwner)
  const after = { phone_number_sid, number, voip_carrier_sid, account_sid, application_sid, service_provider_sid }
  await insert(write, after)
  const owner = await findOwner(write, phone_number_sid)
  checkStillAccessible(actor, owner)
  write.record({
    action: 'create',
    kind: 'phone_number',
    sid: phone_number_sid,
    name: number,
    owner,
    before: null,
    after,
  })
  return phone_number_sid
}

/** Locks a number for a change. Rejects if the caller has lost access since the request was authorized. */
const lockNumber = (write: WriteTransaction, actor: Actor, phone_number_sid: string) => {
  const rows = write.trx.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', phone_number_sid)
  const find = () => findOwner(write, phone_number_sid)
  return lockAccessibleRow(write, actor, rows, find, 'insufficient_privileges')
}

/** Changes a number. The number itself and its carrier cannot be changed. */
export const changePhoneNumber = async (
  write: WriteTransaction,
  actor: Actor,
  phone_number_sid: string,
  changes: PhoneNumberChange,
): Promise<void> => {
  const { row: before } = await lockNumber(write, actor, phone_number_sid)
  const newOwner = await resolveOwner(write.trx, actor, changes, before)
  const { account_sid } = newOwner
  const application_sid =
    changes.application_sid === undefined ? before.application_sid : changes.application_sid || null
  const isMoved = account_sid !== before.account_sid
  if (isMoved && before.voip_carrier_sid !== null) {
    const carrier = await readOwner(write.trx, 'voip_carrier', before.voip_carrier_sid)
    if (carrier && !canServe(carrier, newOwner))
      throwInvalid('voip_carrier_sid does not belong to the account', 'account_sid')
  }
  if (isMoved || changes.application_sid) await checkApplication(write, application_sid, account_sid)
  const service_provider_sid = resolveTester(actor, changes, before.service_provider_sid, newOwner)
  const newValues = { account_sid, application_sid, service_provider_sid }
  await write.trx.updateTable('phone_numbers').set(newValues).where('phone_number_sid', '=', phone_number_sid).execute()
  const owner = await findOwner(write, phone_number_sid)
  checkStillAccessible(actor, owner)
  const after = { ...before, ...newValues }
  const { number: name } = before
  write.record({ action: 'update', kind: 'phone_number', sid: phone_number_sid, name, owner, before, after })
}

export const deletePhoneNumber = async (
  write: WriteTransaction,
  actor: Actor,
  phone_number_sid: string,
): Promise<void> => {
  const { row: before, owner } = await lockNumber(write, actor, phone_number_sid)
  await write.trx.deleteFrom('phone_numbers').where('phone_number_sid', '=', phone_number_sid).execute()
  const { number: name } = before
  write.record({ action: 'delete', kind: 'phone_number', sid: phone_number_sid, name, owner, before, after: null })
}
