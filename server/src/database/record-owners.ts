import { findTable } from '@patchbay/contract/api/record-tables'
import type { CascadeOwnerKind } from '@patchbay/contract/bulk-changes/kinds'
import { phoneNumberTable } from '@patchbay/contract/phone-numbers/record'
import type { DependentTable } from '@patchbay/contract/shared/record-table'
import { voipCarrierTable } from '@patchbay/contract/voip-carriers/record'
import { type RawBuilder, sql } from 'kysely'
import type { RecordOwner } from '../lib/caller.ts'

/** Says which records belong to an account or a service provider, as conditions of statements. */

const ownerKeys: Readonly<Record<CascadeOwnerKind, readonly string[]>> = {
  account: ['account_sid'],
  service_provider: ['service_provider_sid', 'account_sid'],
}

/** Returns whether a table has records that can belong to owners of a kind. */
export const canBelongTo = ({ references }: DependentTable, kind: CascadeOwnerKind): boolean =>
  ownerKeys[kind].some((key) => Object.hasOwn(references, key))

/**
 * Returns the condition that a row belongs to a service provider. Its account decides that, whatever provider the row
 * names, as in access rules (auth/owner-lookup.ts). jambonz stores an empty account in some rows.
 */
const belongsToProvider = (table: DependentTable, sid: string): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${table.table}.${name}`)
  const namesProvider = sql<boolean>`${column('service_provider_sid')} = ${sid}`
  if (!Object.hasOwn(table.references, 'account_sid')) return namesProvider
  const ofAccount = sql<boolean>`${column('account_sid')} in
    (select owned.account_sid from accounts as owned where owned.service_provider_sid = ${sid})`
  if (!Object.hasOwn(table.references, 'service_provider_sid')) return ofAccount
  const hasNoAccount = sql<boolean>`not exists
    (select 1 from accounts as named where named.account_sid = ${column('account_sid')})`
  const ofProvider =
    table === phoneNumberTable ? sql<boolean>`(${namesProvider} or ${belongsByCarrier(sid)})` : namesProvider
  return sql<boolean>`(${ofAccount} or (${ofProvider} and ${hasNoAccount}))`
}

/** Returns the condition that a phone number names no provider, and a carrier of this one, to which it then belongs. */
const belongsByCarrier = (sid: string) => sql<boolean>`(phone_numbers.service_provider_sid is null
  and phone_numbers.voip_carrier_sid in
    (select voip_carrier_sid from voip_carriers where ${belongsToProvider(voipCarrierTable, sid)}))`

/**
 * Returns the condition that a row belongs to an owner, or is the owner.
 * @throws Error if rows of the table belong to no owner of this kind
 */
export const belongsTo = (name: string, { kind, sid }: RecordOwner): RawBuilder<boolean> => {
  const table = findTable({ table: name })
  const key = `${kind}_sid`
  if (table === undefined || (table.key !== key && !canBelongTo(table, kind)))
    throw new Error(`No row of ${name} belongs to a record of the kind ${kind}`)
  if (table.key === key || kind === 'account') return sql<boolean>`${sql.ref(`${name}.${key}`)} = ${sid}`
  return belongsToProvider(table, sid)
}
