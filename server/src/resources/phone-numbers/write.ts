import { type Actor, can, type Owner } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import {
  type NewPhoneNumber,
  phoneNumber,
  type PhoneNumber,
  type PhoneNumberChange,
} from '@patchbay/contract/phone-numbers'
import { randomUUID } from 'node:crypto'
import { classifyDbError, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkApplication } from '../shared/check-application.ts'
import { ownedCarriers, ownedNumbers, toOwner } from '../../auth/owner-lookup.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'

/** How phone numbers are written (api/2-telephony.md §7.3, §7.5, §7.6). */

const columns = phoneNumber.keyof().options

const ownerIn = async ({ trx }: WriteTransaction, phone_number_sid: string): Promise<Owner> =>
  toOwner(
    await ownedNumbers(trx).where('phone_numbers.phone_number_sid', '=', phone_number_sid).executeTakeFirstOrThrow(),
  )

/** What an account may route by: its own, its provider's that have no account, and one of nobody that an admin gave it. */
const serves = (carrier: Owner, { account_sid, service_provider_sid }: Owner): boolean =>
  account_sid === null ||
  carrier.account_sid === account_sid ||
  (carrier.account_sid === null && (carrier.service_provider_sid ?? service_provider_sid) === service_provider_sid)

/** Which carriers a caller may name, those of nobody being an admin's. */
const mayName = (actor: Actor, carrier: Owner): boolean =>
  actor.scope === 'account'
    ? carrier.service_provider_sid !== null && serves(carrier, actor)
    : can(actor, 'write', carrier)

const carrierIn = async ({ trx }: WriteTransaction, voip_carrier_sid: string): Promise<Owner | undefined> => {
  const row = await ownedCarriers(trx).where('voip_carriers.voip_carrier_sid', '=', voip_carrier_sid).executeTakeFirst()
  return row && toOwner(row)
}

/** To a stranger, what exists and what does not look alike. */
const checkCarrier = async (
  write: WriteTransaction,
  actor: Actor,
  voip_carrier_sid: string,
  newOwner: Owner,
): Promise<void> => {
  const carrier = await carrierIn(write, voip_carrier_sid)
  if (carrier === undefined || !mayName(actor, carrier))
    return throwInvalid(`voip_carrier not found for sid ${voip_carrier_sid}`, 'voip_carrier_sid')
  if (!serves(carrier, newOwner)) throwInvalid('voip_carrier_sid does not belong to the account', 'voip_carrier_sid')
}

/** Whoever writes a number still has it afterwards: a provider's is of one of its accounts, or on a carrier of its own. */
const checkKept = (actor: Actor, owner: Owner): void => {
  if (!can(actor, 'write', owner)) throwInvalid('account_sid missing', 'account_sid')
}

/** Only admins say whose test number it is, and it is of no other provider than its account. */
const testerOf = (
  { scope }: Actor,
  { service_provider_sid: sent }: Pick<NewPhoneNumber, 'service_provider_sid'>,
  now: string | null,
  newOwner: Owner,
): string | null => {
  const tester = scope === 'admin' && sent !== undefined ? sent || null : now
  return newOwner.account_sid === null || tester === newOwner.service_provider_sid ? tester : null
}

const insert = async ({ trx }: WriteTransaction, row: PhoneNumber): Promise<void> => {
  try {
    await trx.insertInto('phone_numbers').values(row).execute()
  } catch (error) {
    // Databases call the index of the pair by names of their own.
    if (classifyDbError(error)?.fault !== 'duplicate') throw error
    throwApiError('duplicate', { msg: 'Duplicate entry: number is already in use on this carrier', field: 'number' })
  }
}

export const createPhoneNumber = async (
  write: WriteTransaction,
  actor: Actor,
  sent: NewPhoneNumber,
): Promise<string> => {
  const newOwner = await resolveOwner(write.trx, actor, sent)
  const { account_sid } = newOwner
  const voip_carrier_sid = sent.voip_carrier_sid || null
  const application_sid = sent.application_sid || null
  if (voip_carrier_sid !== null) await checkCarrier(write, actor, voip_carrier_sid, newOwner)
  await checkApplication(write, application_sid, account_sid)
  const { number } = sent
  const phone_number_sid = randomUUID()
  const service_provider_sid = testerOf(actor, sent, null, newOwner)
  const after = { phone_number_sid, number, voip_carrier_sid, account_sid, application_sid, service_provider_sid }
  await insert(write, after)
  const owner = await ownerIn(write, phone_number_sid)
  checkKept(actor, owner)
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

/** One change of a number at a time; who has lost it since the request was let in changes nothing. */
const lockNumber = async (write: WriteTransaction, actor: Actor, phone_number_sid: string) => {
  const { trx, engine } = write
  const rows = trx.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', phone_number_sid)
  const row = (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
  const owner = await ownerIn(write, phone_number_sid)
  return can(actor, 'write', owner) ? { row, owner } : throwApiError('insufficient_privileges')
}

/** Number and carrier stay what they are. */
export const changePhoneNumber = async (
  write: WriteTransaction,
  actor: Actor,
  phone_number_sid: string,
  sent: PhoneNumberChange,
): Promise<void> => {
  const { row: before } = await lockNumber(write, actor, phone_number_sid)
  const newOwner = await resolveOwner(write.trx, actor, sent, before)
  const { account_sid } = newOwner
  const application_sid = sent.application_sid === undefined ? before.application_sid : sent.application_sid || null
  const isMoved = account_sid !== before.account_sid
  if (isMoved && before.voip_carrier_sid !== null) {
    const carrier = await carrierIn(write, before.voip_carrier_sid)
    if (carrier && !serves(carrier, newOwner))
      throwInvalid('voip_carrier_sid does not belong to the account', 'account_sid')
  }
  if (isMoved || sent.application_sid) await checkApplication(write, application_sid, account_sid)
  const service_provider_sid = testerOf(actor, sent, before.service_provider_sid, newOwner)
  const changed = { account_sid, application_sid, service_provider_sid }
  await write.trx.updateTable('phone_numbers').set(changed).where('phone_number_sid', '=', phone_number_sid).execute()
  const owner = await ownerIn(write, phone_number_sid)
  checkKept(actor, owner)
  const after = { ...before, ...changed }
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
