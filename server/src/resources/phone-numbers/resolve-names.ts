import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { Database } from '../../database/engine.ts'

type NamedTable = 'voip_carriers' | 'accounts' | 'applications'

const keys = {
  voip_carriers: 'voip_carrier_sid',
  accounts: 'account_sid',
  applications: 'application_sid',
} as const

/**
 * Creates a function that adds the names of carriers, accounts, and applications to phone numbers, with one query per
 * kind.
 */
export const createNameResolver = ({ reader }: Pick<Database, 'reader'>) => {
  const readNames = async (table: NamedTable, rows: readonly PhoneNumber[]): Promise<ReadonlyMap<string, string>> => {
    const key = keys[table]
    const sids = [...new Set(rows.map((row) => row[key]).filter((sid) => sid !== null))]
    if (sids.length === 0) return new Map()
    const namedRows = await reader
      .selectFrom(table)
      .select([`${table}.name`])
      .select(({ ref }) => ref(`${table}.${key}` as 'accounts.account_sid').as('sid'))
      .where(({ eb, ref }) => eb(ref(`${table}.${key}` as 'accounts.account_sid'), 'in', sids))
      .execute()
    return new Map(namedRows.map(({ sid, name }) => [sid, name]))
  }
  return async (rows: readonly PhoneNumber[]): Promise<NamedPhoneNumber[]> => {
    const [carriers, accounts, applications] = await Promise.all([
      readNames('voip_carriers', rows),
      readNames('accounts', rows),
      readNames('applications', rows),
    ])
    return rows.map((row) => ({
      ...row,
      carrier_name: carriers.get(row.voip_carrier_sid ?? '') ?? null,
      account_name: accounts.get(row.account_sid ?? '') ?? null,
      application_name: applications.get(row.application_sid ?? '') ?? null,
    }))
  }
}
