import type { Actor } from '@patchbay/contract/access'
import type { Transaction } from 'kysely'
import { createTurns, ownerOf } from '../turns.ts'
import { type Database, type EngineName, inTransaction } from './engine.ts'
import type { Tables } from './tables.ts'

/**
 * The one door for writes. Stores take a `Write`, which only this file makes: so every change runs in a transaction,
 * knows who made it, and says what the thing was before and after.
 */

export interface Change {
  action: 'create' | 'update' | 'delete'
  kind: string
  sid: string
  before: object | null
  after: object | null
}

/** Who changes things: a caller, or Patchbay itself (first start, migrations, intake). */
export type Author = Actor | 'patchbay'

export interface Write {
  readonly trx: Transaction<Tables>
  readonly engine: EngineName
  readonly author: Author
  /** optional tables, and columns as table.column, of the platform that this database lacks */
  readonly lacks: ReadonlySet<string>
  /** Every store that changes something says so here, once a thing. */
  record(change: Change): void
}

/** Told of every committed change. The audit trail will write inside the transaction through `during`. */
export interface ChangeObserver {
  during?(write: Write, change: Change): Promise<void>
  after?(author: Author, change: Change): void
}

export type Writer = <T>(author: Author, work: (write: Write) => Promise<T>) => Promise<T>

/** Changes of one author's account or provider that may be at work or waiting. */
const mostWrites = 100

export const createWriter = (
  { db, engine, atOnce }: Pick<Database, 'db' | 'engine' | 'atOnce'>,
  lacks: ReadonlySet<string> = new Set(),
  observers: readonly ChangeObserver[] = [],
): Writer => {
  const turns = createTurns({ atOnce: atOnce.writes, most: mostWrites })
  return async (author, work) => {
    const inTurn = () =>
      inTransaction({ db }, async (trx) => {
        const made: Change[] = []
        const write: Write = { trx, engine, author, lacks, record: (change) => made.push(change) }
        const worked = await work(write)
        for (const observer of observers) for (const change of made) await observer.during?.(write, change)
        return { result: worked, changes: made }
      })
    const owner = author === 'patchbay' ? author : ownerOf(author)
    const { result, changes } = await turns.enter(owner, (turn) => turn(inTurn))
    for (const observer of observers) for (const change of changes) observer.after?.(author, change)
    return result
  }
}
