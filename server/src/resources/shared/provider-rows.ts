import { type Expression, type SqlBool, sql } from 'kysely'

/**
 * Conditions for rows that belong to a service provider through their account. Lists of a hundred thousand rows check
 * them in the order of an index, for each row that the page skips.
 */

/** Tables whose rows belong to an account, if `account_sid` is not null. */
type AccountTable = 'applications' | 'phone_numbers'

/** Matches rows of the accounts of a provider. The database starts with these accounts if it has no order to follow. */
export const isAccountRow = (table: AccountTable, provider: string): Expression<SqlBool> =>
  sql`${sql.ref(`${table}.account_sid`)} IN
    (SELECT own.account_sid FROM accounts AS own WHERE own.service_provider_sid = ${provider})`

/**
 * True if no row of the table belongs to an account of another provider. The database evaluates it once per query, and
 * begins with the accounts, which are few: SQLite keeps the order of the tables in a cross join.
 */
const hasNoOthers = (table: AccountTable | 'voip_carriers', provider: string): Expression<SqlBool> =>
  sql`NOT EXISTS (SELECT 1 FROM accounts AS other CROSS JOIN ${sql.table(table)} AS theirs
    WHERE theirs.account_sid = other.account_sid AND other.service_provider_sid <> ${provider})`

/**
 * Like `isAccountRow`, for rows that are read in the order of the list. With only one provider, which is common, rows
 * are not compared with the accounts, which would take several times as long as reading them.
 */
export const isOrderedAccountRow = (table: AccountTable, provider: string): Expression<SqlBool> =>
  sql`CASE WHEN ${sql.ref(`${table}.account_sid`)} IS NULL THEN FALSE
    ELSE ${hasNoOthers(table, provider)} OR ${isAccountRow(table, provider)} END`

/** Counts the rows of the accounts of a provider that match a condition. */
export const countAccountRows = (table: AccountTable, provider: string, condition: Expression<SqlBool>) => {
  const countRows = (rows: Expression<SqlBool>) =>
    sql`(SELECT COUNT(*) FROM ${sql.table(table)} WHERE ${rows} AND ${condition})`
  return sql<number | string>`CASE WHEN ${hasNoOthers(table, provider)}
    THEN ${countRows(sql`${sql.ref(`${table}.account_sid`)} IS NOT NULL`)}
    ELSE ${countRows(isAccountRow(table, provider))} END`
}

/**
 * True if every carrier belongs to the provider, itself or through its account. Then numbers need not be compared with
 * the carriers. The database evaluates it once per query.
 */
export const ownsAllCarriers = (provider: string): Expression<SqlBool> =>
  sql`(NOT EXISTS (SELECT 1 FROM voip_carriers AS shared
      WHERE (shared.service_provider_sid <> ${provider} OR shared.service_provider_sid IS NULL)
        AND shared.account_sid IS NULL)
    AND ${hasNoOthers('voip_carriers', provider)})`
