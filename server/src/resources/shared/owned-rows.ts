import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Restricts rows to those of an account, or of a service provider and its accounts. */

/** Selects the accounts of an owner. */
export const selectOwnedAccounts = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner) => {
  const accounts = reader.selectFrom('accounts as owned').select('owned.account_sid')
  return 'account_sid' in owner
    ? accounts.where('owned.account_sid', '=', owner.account_sid)
    : accounts.where('owned.service_provider_sid', '=', owner.service_provider_sid)
}

type TableWithOwners = 'api_keys' | 'speech_credentials' | 'voip_carriers'

/** Matches the rows of a table with both owner columns. */
export const isOwnedBy =
  (database: Pick<Database, 'reader'>, owner: CallOwner) => (where: ExpressionBuilder<Tables, TableWithOwners>) =>
    'account_sid' in owner
      ? where('account_sid', '=', owner.account_sid)
      : where.or([
          where('service_provider_sid', '=', owner.service_provider_sid),
          where('account_sid', 'in', selectOwnedAccounts(database, owner)),
        ])

/** Returns whether a query has rows. */
export const hasRows = async <T extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, T, Row>,
): Promise<boolean> => (await query.limit(1).execute()).length > 0
