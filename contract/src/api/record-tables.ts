import { accountTable } from '../accounts/record.ts'
import { alertAddressTable, alertDeliveryTable, alertDestinationTable } from '../alert-destinations/record.ts'
import { alertAcknowledgmentTable } from '../alert-groups/record.ts'
import { apiKeyNameTable, apiKeyTable } from '../api-keys/record.ts'
import { applicationTable } from '../applications/record.ts'
import {
  accountOfferTable,
  accountProductTable,
  accountStaticIpTable,
  accountSubscriptionTable,
  billingTable,
} from '../billing/record.ts'
import { bulkChangeRecordTable, bulkChangeTable } from '../bulk-changes/record.ts'
import { callRouteTable } from '../call-routes/record.ts'
import { callShareTable } from '../call-shares/record.ts'
import { clientTable } from '../clients/record.ts'
import { googleCustomVoiceTable } from '../google-custom-voices/record.ts'
import { lcrCarrierSetEntryTable } from '../lcr-carrier-set-entries/record.ts'
import { lcrRouteTable } from '../lcr-routes/record.ts'
import { lcrTable } from '../lcrs/record.ts'
import { accountLimitTable, providerLimitTable } from '../limits/record.ts'
import { maskingRuleTable } from '../masking-rules/record.ts'
import { msTeamsTenantTable } from '../ms-teams-tenants/record.ts'
import { seenAlertTable } from '../new-alerts/record.ts'
import { phoneNumberTable } from '../phone-numbers/record.ts'
import { sbcAddressTable, smppAddressTable } from '../platform-addresses/record.ts'
import { predefinedSipGatewayTable, predefinedSmppGatewayTable } from '../predefined-carriers/record.ts'
import { linkTicketTable, signInLinkTable } from '../registration/record.ts'
import { modelCheckCountTable, reviewModelTable } from '../review-model/record.ts'
import { reviewSettingTable } from '../review-settings/record.ts'
import { listColumnsTable, savedViewTable } from '../saved-views/record.ts'
import { serviceProviderTable } from '../service-providers/record.ts'
import type { DependentTable, RecordTable, Reference } from '../shared/record-table.ts'
import { sipGatewayTable } from '../sip-gateways/record.ts'
import { dnsRecordTable } from '../sip-realms/record.ts'
import { smppGatewayTable } from '../smpp-gateways/record.ts'
import { speechCredentialTable } from '../speech-credentials/record.ts'
import { userPermissionTable, userTable } from '../users/record.ts'
import { voipCarrierTable } from '../voip-carriers/record.ts'

/** The platform's tables whose rows refer to others. Responses that list records by kind have this order. */
export const recordTables = [
  accountTable,
  serviceProviderTable,
  userTable,
  userPermissionTable,
  apiKeyTable,
  applicationTable,
  phoneNumberTable,
  voipCarrierTable,
  sipGatewayTable,
  smppGatewayTable,
  lcrTable,
  lcrRouteTable,
  lcrCarrierSetEntryTable,
  callRouteTable,
  msTeamsTenantTable,
  clientTable,
  speechCredentialTable,
  googleCustomVoiceTable,
  sbcAddressTable,
  smppAddressTable,
  accountLimitTable,
  providerLimitTable,
  accountSubscriptionTable,
  accountProductTable,
  accountOfferTable,
  accountStaticIpTable,
  dnsRecordTable,
  predefinedSipGatewayTable,
  predefinedSmppGatewayTable,
] as const satisfies readonly RecordTable[]

/** Patchbay's own tables whose rows are deleted with the record to which they refer. */
export const ownRecordTables = [
  apiKeyNameTable,
  signInLinkTable,
  linkTicketTable,
  savedViewTable,
  listColumnsTable,
  seenAlertTable,
  bulkChangeTable,
  bulkChangeRecordTable,
  callShareTable,
  alertDestinationTable,
  alertAddressTable,
  alertDeliveryTable,
  alertAcknowledgmentTable,
  maskingRuleTable,
  reviewSettingTable,
  reviewModelTable,
  modelCheckCountTable,
  billingTable,
] as const satisfies readonly DependentTable[]

type DeclaredTable = (typeof recordTables)[number]

/** The tables whose key others refer to. */
type Parent = { [T in DeclaredTable as T['table']]: T['references'][keyof T['references']] } extends infer All
  ? Extract<All[keyof All], { to: string }>['to']
  : never

/** A column that refers to another record. */
export interface TableReference {
  table: RecordTable
  column: string
  reference: Reference
}

/** Returns the columns that refer to records of a table, in the order of the tables. */
export const referencesTo = (parent: Parent): TableReference[] =>
  recordTables
    .flatMap((table: RecordTable) =>
      Object.entries(table.references).map(([column, reference]) => ({ table, column, reference })),
    )
    .filter(({ reference }) => reference.to === parent)

/** Returns the table of the records that the API names, and the columns that lead to it from the referring table. */
export const findNamedTable = ({ table, reference }: TableReference) => {
  let target = table
  const path = (reference.through ?? []).map((column) => {
    const step = { table: target.table, key: target.key, column }
    const parent = target.references[column]?.to
    target = recordTables.find((each: RecordTable) => each.table === parent) ?? target
    return step
  })
  return { target, path }
}

/** Returns the name of the records in the API. */
export const referenceName = ({ table, reference }: TableReference): string =>
  reference.as ?? table.plural ?? table.table

type OnDelete = Reference['onDelete']

/** The name in the API of the records of a table that refer to a parent in one of the given ways. */
type NameIn<T extends DeclaredTable, To, Wanted> = {
  [Column in keyof T['references']]: T['references'][Column] extends { to: To } & Wanted
    ? T['references'][Column] extends { as: infer Name extends string }
      ? Name
      : T extends { plural: infer Name extends string }
        ? Name
        : T['table']
    : never
}[keyof T['references']]

type ReferenceName<T, To, Wanted> = T extends DeclaredTable ? NameIn<T, To, Wanted> : never
type NotOptional<T> = T extends { isOptional: true } ? never : T

/** Names of the records that block a deletion, or are deleted with the parent. */
export type ContentName<To extends Parent> = ReferenceName<NotOptional<DeclaredTable>, To, { onDelete: OnDelete }>
export type BlockerName<To extends Parent> = ReferenceName<DeclaredTable, To, { onDelete: 'block' }>
export type MemberBlockerName = ReferenceName<DeclaredTable, 'accounts', { blocksMembers: true }>

/** A reference with its name in the API. */
export type Named<Name extends string> = TableReference & { name: Name }

/** The casts are safe, because the types derive the names from the same declarations. */
const named = <Name extends string>(references: readonly TableReference[]): Named<Name>[] =>
  references.map((reference) => ({ ...reference, name: referenceName(reference) as Name }))

/** Returns the records that a parent contains: first those that block its deletion, then those that are deleted with it. */
export const getContents = <To extends Parent>(parent: To): Named<ContentName<To>>[] => {
  const counted = referencesTo(parent).filter(({ table }) => !table.isOptional)
  const blocks = ({ reference }: TableReference) => reference.onDelete === 'block'
  return named([...counted.filter(blocks), ...counted.filter((each) => !blocks(each))])
}

/** Position of a reference without one. */
const last = Number.MAX_SAFE_INTEGER

/** Returns the records that block the deletion of another one, in the order in which errors name them. */
export const getBlockers = <To extends Parent>(parent: To): Named<BlockerName<To>>[] =>
  named(
    referencesTo(parent)
      .filter(({ reference }) => reference.onDelete === 'block')
      .toSorted((a, b) => (a.reference.position ?? last) - (b.reference.position ?? last)),
  )

/** Returns the records that keep users of an account from deleting it: first those with a name, then secrets. */
export const getMemberBlockers = (): Named<MemberBlockerName>[] => {
  const blockers = referencesTo('accounts').filter(({ reference }) => reference.blocksMembers)
  return named([
    ...blockers.filter(({ table }) => !table.isNameSecret),
    ...blockers.filter(({ table }) => table.isNameSecret),
  ])
}

/** Returns an object with the same value for each name. */
export const forEachName = <Name extends string, Value>(references: readonly Named<Name>[], value: Value) =>
  Object.fromEntries(references.map(({ name }) => [name, value])) as Record<Name, Value>

const allTables: readonly DependentTable[] = [...recordTables, ...ownRecordTables]

/** Returns a declared table by its name, or by the name of its key. */
export const findTable = (by: { table: string } | { key: string }): DependentTable | undefined =>
  allTables.find((each) => ('table' in by ? each.table === by.table : each.key === by.key))

/** Returns the tables with rows that are deleted before those of a table. */
const cascadeFrom = (parent: string, found: ReadonlySet<DependentTable> = new Set()): ReadonlySet<DependentTable> =>
  allTables
    .filter((each) =>
      Object.values(each.references).some(({ to, onDelete }) => to === parent && onDelete === 'cascade'),
    )
    .reduce((all, each) => (all.has(each) ? all : cascadeFrom(each.table, new Set([...all, each]))), found)

/**
 * Returns the tables whose rows are deleted with those of a table, in an order in which no row is deleted while others
 * refer to it. References that are cleared before do not count.
 */
export const getDeletionOrder = (parent: string): DependentTable[] => {
  const tables = cascadeFrom(parent)
  const started = new Set<DependentTable>()
  const order: DependentTable[] = []
  const add = (table: DependentTable): void => {
    if (started.has(table)) return
    started.add(table)
    const refersTo = ({ references }: DependentTable) =>
      Object.values(references).some(({ to, onDelete }) => to === table.table && onDelete !== 'clear')
    for (const other of tables) if (refersTo(other)) add(other)
    order.push(table)
  }
  for (const table of tables) add(table)
  return order
}

/** A table whose records have a name that is no secret. */
export type NamedTable = RecordTable & { name: string }

const isNamed = (table: RecordTable): table is NamedTable => table.name !== undefined && !table.isNameSecret
const platformTables: readonly RecordTable[] = recordTables
const namedTables = new Map(platformTables.filter(isNamed).map((table) => [table.table, table]))

/** Tables by the columns that refer to them. A column refers to the same table wherever it exists. */
const referencedTables = new Map(
  allTables.flatMap(({ references }) =>
    Object.entries(references).map(([column, { to }]) => [column, namedTables.get(to)] as const),
  ),
)

/** Returns the table to whose records a column refers, if these have a name that is no secret. */
export const findReferencedTable = (column: string): NamedTable | undefined => referencedTables.get(column)
