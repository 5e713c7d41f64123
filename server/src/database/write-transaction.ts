import type { Owner } from '@patchbay/contract/access'
import type { Transaction } from 'kysely'
import type { Caller } from '../lib/caller.ts'
import { toClientNetwork } from '../lib/client-network.ts'
import { createFairQueue, fairnessKey } from '../lib/fair-queue.ts'
import { type Database, type EngineName, inTransaction } from './engine.ts'
import type { Tables } from './tables.ts'

/**
 * The one door for writes. Stores take a `WriteTransaction`, which only this file makes: so every change runs in a transaction,
 * knows who made it, and says what the thing was before and after.
 */

export interface Change {
  /** `try` changes nothing here, and something far away perhaps */
  action: 'create' | 'update' | 'delete' | 'try'
  kind: string
  /** empty for what there is one of */
  sid: string
  /** what it is called, where its row has no name */
  name?: string
  /** whose it is, where its row does not say it */
  owner?: Owner
  before: object | null
  after: object | null
}

/** Somebody who is not signed in, and has been sent a link that lets them do this. */
interface LinkBearer {
  token: 'nobody'
  address: string
  request_id: string
}

/** Who changes things: a caller, who has a link, or Patchbay itself (first start, migrations, intake). */
export type Author = Caller | LinkBearer | 'patchbay'

/** Everybody but who only has a link: no link lets anybody change a user. */
export type AuthenticatedAuthor = Exclude<Author, LinkBearer>

/** Strangers of one network count as one. */
const inTurnOf = (author: Author): string => {
  if (author === 'patchbay') return author
  return author.token === 'nobody' ? toClientNetwork(author.address) : fairnessKey(author)
}

export interface WriteTransaction<By extends Author = Author> {
  readonly trx: Transaction<Tables>
  readonly engine: EngineName
  readonly author: By
  /** optional tables, and columns as table.column, of the platform that this database lacks */
  readonly missingSchema: ReadonlySet<string>
  /** Every store that changes something says so here, once a thing. */
  record(change: Change): void
}

/** Told of what a transaction changed before it is committed; what it writes is committed with it, or nothing is. */
export type ChangeObserver = (write: WriteTransaction, changes: readonly Change[]) => Promise<void>

export type RunWrite = <T, By extends Author>(
  author: By,
  work: (write: WriteTransaction<By>) => Promise<T>,
) => Promise<T>

/** Changes of one author's account or provider that may be at work or waiting. */
const maxWritesPerTenant = 100

export const createWriter = (
  { db, engine, concurrency }: Pick<Database, 'db' | 'engine' | 'concurrency'>,
  missingSchema: ReadonlySet<string> = new Set(),
  observe?: ChangeObserver,
): RunWrite => {
  const queue = createFairQueue({ concurrency: concurrency.writes, max: maxWritesPerTenant })
  return async (author, work) => {
    const inTurn = () =>
      inTransaction({ db }, async (trx) => {
        const made: Change[] = []
        const write: WriteTransaction<typeof author> = {
          trx,
          engine,
          author,
          missingSchema,
          record: (change) => made.push(change),
        }
        const worked = await work(write)
        await observe?.(write, made)
        return worked
      })
    return queue.run(inTurnOf(author), (runStep) => runStep(inTurn))
  }
}
