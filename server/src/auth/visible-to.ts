import type { Actor } from '@patchbay/contract/api/access'
import { type Expression, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Compilable, prepared } from '../database/prepared-query.ts'
import type { Tables } from '../database/tables.ts'

/** Restricts lists to the rows that a caller may see: an admin all, others those of their provider or account. */

/** Values for each scope. The functions receive the SID of the caller's provider or account. */
export interface ByScope<Visible> {
  admin: () => Visible
  service_provider: (sid: string) => Visible
  account: (sid: string) => Visible
}

/** Returns what the caller may see. */
export const visibleTo = <Visible>(
  { scope, account_sid, service_provider_sid }: Actor,
  { admin, service_provider, account }: ByScope<Visible>,
): Visible => {
  switch (scope) {
    case 'admin':
      return admin()
    case 'service_provider':
      // No row has an empty SID.
      return service_provider(service_provider_sid ?? '')
    case 'account':
      return account(account_sid ?? '')
  }
}

/** Prepares one query for each scope. Returns a function that reads the rows that a caller may see. */
export const preparedByScope = <Row>(
  db: Kysely<Tables>,
  { admin, service_provider, account }: ByScope<Compilable<Row>>,
): ((actor: Actor) => Promise<Row[]>) => {
  const queries = {
    admin: prepared(db, admin),
    service_provider: prepared(db, service_provider),
    account: prepared(db, account),
  }
  return (actor) => visibleTo(actor, queries)
}

/** Prepares a list of rows joined with their accounts. Returns a function that reads the rows that a caller may see. */
export const preparedByAccount = <Row, Joined extends keyof Tables>(
  db: Kysely<Tables>,
  select: () => SelectQueryBuilder<Tables, Joined | 'accounts', Row>,
): ((actor: Actor) => Promise<Row[]>) => {
  const ofOwner = (column: 'service_provider_sid' | 'account_sid') => (sid: string) =>
    select().where(sql<SqlBool>`${sql.ref(`accounts.${column}`)} = ${sid}`)
  return preparedByScope(db, {
    admin: select,
    service_provider: ofOwner('service_provider_sid'),
    account: ofOwner('account_sid'),
  })
}

/** Matches the rows that the caller may see by the columns that contain the SIDs of their owners. */
export const isVisibleTo = (
  actor: Actor,
  columns: { service_provider: `${string}.service_provider_sid`; account: `${string}.account_sid` },
): Expression<SqlBool> =>
  visibleTo(actor, {
    admin: () => sql<SqlBool>`true`,
    service_provider: (sid) => sql<SqlBool>`${sql.ref(columns.service_provider)} = ${sid}`,
    account: (sid) => sql<SqlBool>`${sql.ref(columns.account)} = ${sid}`,
  })
