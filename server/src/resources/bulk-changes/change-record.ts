import { can, noOwner } from '@patchbay/contract/api/access'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { throwApiError } from '@patchbay/contract/api/errors'
import { findTable } from '@patchbay/contract/api/record-tables'
import type { FieldChange, FieldValue } from '@patchbay/contract/bulk-changes'
import { type BulkEndpointKey, type BulkKindName, findBulkKind } from '@patchbay/contract/bulk-changes/kinds'
import { type Contract, contract, type OwnedKind } from '@patchbay/contract/contract'
import type { RecordTable } from '@patchbay/contract/shared/record-table'
import { type Kysely, sql } from 'kysely'
import { PreviewEndError } from '../../database/field-changes.ts'
import type { AnyTable, Tables } from '../../database/tables.ts'
import { authorize, type OwnerLookups } from '../../http/authorize.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Caller, Preview, RecordOwner, WatchedFields } from '../../lib/caller.ts'
import type { Services } from '../services.ts'

/** Changes a record of a bulk change by the endpoint of its kind. */

export type BulkHandlers = Handlers<BulkEndpointKey & keyof Contract>

type AnyHandler = (context: unknown) => Promise<unknown>

export interface RecordOperation {
  kind: BulkKindName
  operation: 'update' | 'delete'
  /** New values of an update. */
  values: unknown
  /** The owner with which the record is deleted. Who may delete the owner may delete what belongs to it. */
  owner?: RecordOwner | undefined
}

/** Returns the fields of a record that a bulk change can replace. */
export const watchFields = (
  kind: BulkKindName,
  expected: Readonly<Record<string, FieldValue>> = {},
): WatchedFields => ({
  kind,
  fields: Object.keys(findBulkKind(kind).values?.shape ?? {}),
  expected,
})

/** Returns the table of a kind, and the column of its names, unless these are secret. */
export const findRecordTable = (kind: BulkKindName) => {
  const table = findTable({ key: `${kind}_sid` }) as RecordTable | undefined
  return { table, nameColumn: table?.isNameSecret ? undefined : table?.name }
}

/** Returns the names of records by SID. Records without one are absent. */
export const readRecordNames = async (
  db: Kysely<Tables>,
  kind: BulkKindName,
  sids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { table, nameColumn } = findRecordTable(kind)
  if (table === undefined || nameColumn === undefined || sids.length === 0) return new Map()
  const rows = await db
    .selectFrom(table.table as AnyTable)
    .select([sql.ref<string>(table.key).as('sid'), sql.ref<string | null>(nameColumn).as('name')])
    .where(sql.ref(table.key), 'in', sids)
    .execute()
  return new Map(rows.flatMap(({ sid, name }) => (name ? [[sid, name] as const] : [])))
}

const findKey = ({
  kind,
  operation,
}: Pick<RecordOperation, 'kind' | 'operation'>): BulkEndpointKey & keyof Contract => {
  const { update, remove, removeCascade } = findBulkKind(kind)
  const key = operation === 'update' ? update : (remove ?? removeCascade)
  // The routes reject an operation that a kind does not have.
  if (key === undefined) throw new Error(`${kind} has no ${operation} in bulk`)
  return key as BulkEndpointKey & keyof Contract
}

export const createRecordChange = ({ owners }: Pick<Services, 'owners'>, handlers: BulkHandlers) => {
  /** The addresses of the platform have no rule of an owner, because only admins change them. */
  const findOwner = async (kind: BulkKindName, sid: string) => {
    const lookups: Partial<OwnerLookups> = owners
    return kind in lookups ? lookups[kind as OwnedKind]?.(sid) : noOwner
  }

  const authorizeDeletion = async ({ kind, sid }: RecordOwner, caller: Caller) => {
    const key = findKey({ kind, operation: 'delete' })
    await authorize(contract[key], 'write', { [`${kind}_sid`]: sid }, caller, owners)
    return owners[kind](sid)
  }

  /**
   * Checks the access of the caller to the endpoint, as a request does, and to the record, which some endpoints check
   * later.
   * @throws ApiError if the caller may not change the record, or it does not exist
   */
  const authorizeRecord = async (operation: RecordOperation, sid: string, caller: Caller) => {
    const key = findKey(operation)
    const owner = await findOwner(operation.kind, sid)
    const params: Record<string, string> = { [`${operation.kind}_sid`]: sid }
    if (splitKey(key).path.includes('/:service_provider_sid/'))
      params['service_provider_sid'] = owner?.service_provider_sid ?? ''
    if (operation.owner === undefined) await authorize(contract[key], 'write', params, caller, owners)
    const changed = operation.owner === undefined ? owner : await authorizeDeletion(operation.owner, caller)
    if (owner === undefined || changed === undefined || !can(caller, 'write', changed)) throwApiError('not_found')
    return { key, params }
  }

  /**
   * Changes or deletes a record.
   * @throws ApiError the error of the endpoint
   */
  const changeRecord = async (
    operation: RecordOperation,
    sid: string,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<void> => {
    const { key, params } = await authorizeRecord(operation, sid, caller)
    const { body }: Endpoint = contract[key]
    // The cast is safe: the context contains what the contract declares for the endpoint of this key.
    const handler = handlers[key] as unknown as AnyHandler
    await handler({
      actor: caller,
      token: '',
      params,
      query: undefined,
      body: operation.operation === 'update' ? body?.parse(operation.values) : {},
      address: caller.address,
      isForwarded: false,
      request_id: caller.request_id,
      signal,
    })
  }

  /**
   * Returns what an update would change, and rolls it back.
   * @throws ApiError the error of the endpoint
   */
  const previewChange = async (
    operation: RecordOperation,
    sid: string,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<readonly FieldChange[]> => {
    const preview: Preview = { watched: watchFields(operation.kind) }
    try {
      await changeRecord(operation, sid, { ...caller, preview }, signal)
    } catch (error) {
      if (error instanceof PreviewEndError) return preview.changes ?? []
      throw error
    }
    throw new Error(`An update of ${operation.kind} has succeeded without a write that is rolled back`)
  }
  return { authorizeRecord, changeRecord, previewChange }
}
