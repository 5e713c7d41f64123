import type { Owner } from '@patchbay/contract/api/access'
import type { RecordKind } from '@patchbay/contract/shared/record-kinds'
import type { Transaction } from 'kysely'
import type { Caller } from '../lib/caller.ts'
import { toClientNetwork } from '../lib/client-network.ts'
import { createFairQueue, fairnessKey } from '../lib/fair-queue.ts'
import { auditEvents } from '../lib/telemetry.ts'
import { beginBulkStep, completeBulkStep } from './bulk-steps.ts'
import { type Database, type EngineName, inTransaction } from './engine.ts'
import { findFieldChanges, PreviewEndError } from './field-changes.ts'
import type { RecordVersions } from './record-versions.ts'
import type { Tables } from './tables.ts'

/**
 * Runs all writes. Stores accept a `WriteTransaction`, which only this module creates, so that every change runs in a
 * transaction, has an author, and records the state before and after it.
 */

export interface Change {
  /** `try` changes nothing in the database, but may change something in an external service. */
  action: 'create' | 'update' | 'delete' | 'try'
  kind: RecordKind
  /** Empty for a singleton. */
  sid: string
  /** Name of the record, if its row contains none. */
  name?: string
  /** Owner of the record, if its row does not name it. */
  owner?: Owner
  before: object | null
  after: object | null
}

/** A caller who is not signed in but has a link that permits the change. */
interface LinkBearer {
  token: 'nobody'
  address: string
  request_id: string
}

/** The author of a change: a caller, the bearer of a link, or Patchbay itself (first start, migrations, intake). */
export type Author = Caller | LinkBearer | 'patchbay'

/** All authors except bearers of a link, because no link permits changing a user. */
export type AuthenticatedAuthor = Exclude<Author, LinkBearer>

/** Returns the fairness key. Callers from the same network who are not signed in share one. */
const getFairnessKey = (author: Author): string => {
  if (author === 'patchbay') return author
  return author.token === 'nobody' ? toClientNetwork(author.address) : fairnessKey(author)
}

export interface WriteTransaction<By extends Author = Author> {
  readonly trx: Transaction<Tables>
  readonly engine: EngineName
  readonly author: By
  /** Optional tables of jambonz, and columns as table.column, that this database lacks. */
  readonly missingSchema: ReadonlySet<string>
  /** Records a change. Every store calls it once per changed record. */
  record(change: Change): void
}

/**
 * Called with the changes of a transaction before it is committed. The observer's own writes are part of the same
 * transaction. Returns the actions of the entries that it has written.
 */
export type ChangeObserver = (write: WriteTransaction, changes: readonly Change[]) => Promise<readonly string[]>

export type RunWrite = <T, By extends Author>(
  author: By,
  work: (write: WriteTransaction<By>) => Promise<T>,
) => Promise<T>

const noDetails: Pick<Caller, 'bulkStep' | 'condition' | 'preview'> = {}

/** Maximum number of changes per account or provider that are running or waiting. */
const maxWritesPerTenant = 100

export const createWriter = (
  { db, engine, concurrency }: Pick<Database, 'db' | 'engine' | 'concurrency'>,
  missingSchema: ReadonlySet<string> = new Set(),
  observe?: ChangeObserver,
  recordVersions?: RecordVersions,
): RunWrite => {
  const queue = createFairQueue({ name: 'writes', concurrency: concurrency.writes, max: maxWritesPerTenant })
  return async (author, work) => {
    const { condition, bulkStep, preview } = author === 'patchbay' || author.token === 'nobody' ? noDetails : author
    if (condition !== undefined && recordVersions === undefined) throw new Error('This writer knows no versions')
    const runTransaction = async () => {
      const committed = await inTransaction({ db }, async (trx) => {
        // Later transactions of the request find what the first has written.
        if (condition !== undefined && condition.newVersion === undefined) await recordVersions?.check(condition, trx)
        if (bulkStep !== undefined) await beginBulkStep(trx, engine, bulkStep)
        const changes: Change[] = []
        const write: WriteTransaction<typeof author> = {
          trx,
          engine,
          author,
          missingSchema,
          record: (change) => changes.push(change),
        }
        const result = await work(write)
        if (preview !== undefined) {
          preview.changes = findFieldChanges(changes, preview.watched)
          throw new PreviewEndError('a preview is rolled back')
        }
        if (bulkStep !== undefined) {
          const { watched } = bulkStep
          const replaced = watched === undefined ? [] : findFieldChanges(changes, watched)
          await completeBulkStep(trx, bulkStep, replaced, Date.now())
        }
        const actions = await observe?.(write, changes)
        return { result, actions, version: condition && (await recordVersions?.readWritten(condition, trx)) }
      })
      if (condition !== undefined && committed.version !== undefined) condition.newVersion = committed.version
      for (const action of committed.actions ?? []) auditEvents.publish({ action })
      return committed.result
    }
    return queue.run(getFairnessKey(author), (runStep) => runStep(runTransaction))
  }
}
