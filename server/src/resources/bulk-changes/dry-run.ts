import { ApiError } from '@patchbay/contract/api/errors'
import { getBlockers, getContents, type Named } from '@patchbay/contract/api/record-tables'
import type { DryRunRecord } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createReferenceCounter } from '../shared/references.ts'
import { type BulkHandlers, createRecordChange, findRecordTable, readRecordNames } from './change-record.ts'

/** Finds out what the deletion of records would do, by the declared references, and changes nothing. */

type Counts = Readonly<Record<string, number>>

const inUse = 'Other records refer to it'
const noAccess = 'This record does not exist, or you are not allowed to delete it'

const toCounted = (references: readonly Named<string>[], counts: Counts) =>
  references.flatMap(({ name }) => (counts[name] ? [{ name, total: counts[name] }] : []))

export const createDryRun = (services: Services, handlers: BulkHandlers) => {
  const { database, missingSchema } = services
  const { authorizeRecord } = createRecordChange(services, handlers)

  /** Returns the references to records of a kind: those that block a deletion, and those that are deleted with it. */
  const findReferences = (kind: BulkKindName) => {
    // Other tables than those of the parameter's type have no references.
    const parent = findRecordTable(kind).table?.table as 'accounts'
    const isPresent = ({ table }: Named<string>) => !missingSchema.has(table.table)
    const blockers: Named<string>[] = getBlockers(parent).filter(isPresent)
    const blockerNames = new Set(blockers.map(({ name }) => name))
    const contents: Named<string>[] = getContents(parent).filter(
      (each) => isPresent(each) && !blockerNames.has(each.name),
    )
    const references = [...blockers, ...contents]
    const count = references.length === 0 ? undefined : createReferenceCounter(database.db, references)
    return { blockers, contents, count }
  }

  return async (kind: BulkKindName, sids: readonly string[], caller: Caller): Promise<DryRunRecord[]> => {
    const { blockers, contents, count } = findReferences(kind)
    const names = await readRecordNames(database.db, kind, sids)
    const records: DryRunRecord[] = []
    for (const sid of sids) {
      const nothing = { sid, name: null, blocked_by: [], deletes: [] }
      try {
        await authorizeRecord({ kind, operation: 'delete', values: {} }, sid, caller)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        records.push({ ...nothing, reason: noAccess })
        continue
      }
      const counts: Counts = (await count?.(sid)) ?? {}
      const blocked_by = toCounted(blockers, counts)
      const reason = blocked_by.length > 0 ? inUse : null
      records.push({ sid, name: names.get(sid) ?? null, reason, blocked_by, deletes: toCounted(contents, counts) })
    }
    return records
  }
}
