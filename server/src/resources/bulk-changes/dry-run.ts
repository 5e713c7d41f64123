import { ApiError } from '@patchbay/contract/api/errors'
import { getBlockers, getContents, type Named } from '@patchbay/contract/api/record-tables'
import type { DryRunRecord, DryRunRequest } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { toApiError } from '../../http/errors.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createReferenceCounter } from '../shared/references.ts'
import { countSpeechUses } from '../shared/speech-uses.ts'
import { type BulkHandlers, createRecordChange, findRecordTable, readRecordNames } from './change-record.ts'
import { isSelf } from './run-records.ts'

/**
 * Finds out what the change of records would do, and changes nothing: an update by its endpoint, whose transaction is
 * rolled back, and a deletion by the declared references.
 */

type Counts = Readonly<Record<string, number>>

const inUse = 'Other records refer to it'
const noAccess = {
  update: 'This record does not exist, or you are not allowed to change it',
  delete: 'This record does not exist, or you are not allowed to delete it',
}
const nothing = { reason: null, blocked_by: [], used_by: [], deletes: [], changes: [] }

const toCounted = (references: readonly Named<string>[], counts: Counts) =>
  references.flatMap(({ name }) => (counts[name] ? [{ name, total: counts[name] }] : []))

export const createDryRun = (services: Services, handlers: BulkHandlers) => {
  const { database, missingSchema } = services
  const { authorizeRecord, previewChange } = createRecordChange(services, handlers)

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

  /** Returns the applications that lose a speech service. They name it, and do not refer to it. */
  const findUses = async (kind: BulkKindName, sid: string) => {
    if (kind !== 'speech_credential') return []
    const row = await database.reader
      .selectFrom('speech_credentials')
      .select(['vendor', 'label', 'account_sid', 'service_provider_sid'])
      .where('speech_credential_sid', '=', sid)
      .executeTakeFirst()
    const total = row === undefined ? 0 : await countSpeechUses(database, row)
    return total > 0 ? [{ name: 'applications', total }] : []
  }

  const previewDeletion = (kind: BulkKindName) => {
    const { blockers, contents, count } = findReferences(kind)
    return async (sid: string) => {
      const counts: Counts = (await count?.(sid)) ?? {}
      const blocked_by = toCounted(blockers, counts)
      const reason = blocked_by.length > 0 ? inUse : null
      const used_by = await findUses(kind, sid)
      return { ...nothing, reason, blocked_by, used_by, deletes: toCounted(contents, counts) }
    }
  }

  const previewUpdate =
    (kind: BulkKindName, values: unknown, caller: Caller, signal: AbortSignal) => async (sid: string) => {
      if (sid.toLowerCase() === caller.sid?.toLowerCase()) return { ...nothing, reason: isSelf }
      try {
        const changes = await previewChange({ kind, operation: 'update', values }, sid, caller, signal)
        return { ...nothing, changes: [...changes] }
      } catch (error) {
        const { status, message } = toApiError(error)
        if (status >= 500 || status === 429) throw error
        return { ...nothing, reason: message }
      }
    }

  return async (
    { kind, operation, values, sids }: DryRunRequest,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DryRunRecord[]> => {
    const preview = operation === 'update' ? previewUpdate(kind, values, caller, signal) : previewDeletion(kind)
    const names = await readRecordNames(database.db, kind, sids)
    const records: DryRunRecord[] = []
    for (const sid of sids) {
      signal.throwIfAborted()
      try {
        await authorizeRecord({ kind, operation, values }, sid, caller)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        records.push({ ...nothing, sid, name: null, reason: noAccess[operation] })
        continue
      }
      records.push({ ...(await preview(sid)), sid, name: names.get(sid) ?? null })
    }
    return records
  }
}
