import { type Kysely, sql } from 'kysely'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'

type OwnerColumn = 'account_sid' | 'service_provider_sid'
type OwnedTable<Column extends OwnerColumn> = {
  [Name in keyof Tables]: Column extends keyof Tables[Name] ? Name : never
}[keyof Tables]
/** Kinds are called like their tables, except for outbound routing. */
type OwnedKind<Column extends OwnerColumn> = OwnedTable<Column> | 'lcrs'

/**
 * Creates a function that counts the records of an account or a provider, by kind, in one query. Each count uses the
 * index on the owner.
 */
export const createOwnedRowCounter = <Kind extends OwnedKind<Column>, Column extends OwnerColumn>(
  db: Kysely<Tables>,
  kinds: readonly Kind[],
  column: Column,
): ((sid: string) => Promise<Readonly<Record<Kind, number>> | undefined>) => {
  const select = prepared(db, (sid: string) =>
    db.selectNoFrom((expression) =>
      kinds.map((kind) =>
        expression
          // The compiler needs a single table, which represents all of them.
          .selectFrom((kind === 'lcrs' ? 'lcr' : kind) as 'lcr')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(sql.ref(column), '=', sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  return async (sid) => (await select(sid))[0] as Readonly<Record<Kind, number>> | undefined
}
