import { accountBlockers, type AccountBlockers } from '@patchbay/contract/accounts'
import { maskToken } from '@patchbay/contract/shared/masking'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import { throwApiError } from '@patchbay/contract/errors'
import { type Kysely, sql } from 'kysely'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { createOwnedRowCounter } from '../shared/count-owned-rows.ts'
import { lockRow } from './store.ts'

type Kind = keyof AccountBlockers

const kinds = accountBlockers.keyof().options

/** The columns that identify and name a record, and the order of the records if it differs from the names. */
const columnsByKind: Readonly<Record<Kind, { sid: string; name: string; order?: readonly string[] }>> = {
  applications: { sid: 'application_sid', name: 'name' },
  phone_numbers: { sid: 'phone_number_sid', name: 'number' },
  ms_teams_tenants: { sid: 'ms_teams_tenant_sid', name: 'tenant_fqdn' },
  api_keys: { sid: 'api_key_sid', name: 'token', order: ['created_at', 'api_key_sid'] },
}

/**
 * Creates a reader for the resources that prevent the deletion of an account: the first of each kind, and the total
 * count.
 */
export const createBlockersReader = (db: Kysely<Tables>): ((account_sid: string) => Promise<AccountBlockers>) => {
  const readCounts = createOwnedRowCounter(db, kinds, 'account_sid')
  const prepareFirst = (kind: Kind) => {
    const { sid, name, order = [name] } = columnsByKind[kind]
    return prepared(db, (account_sid: string) =>
      db
        .selectFrom(kind)
        .select([sql.ref<string>(sid).as('sid'), sql.ref<string>(name).as('name')])
        .where('account_sid', '=', account_sid)
        .orderBy(sql.join(order.map((column) => sql.ref(column))))
        .limit(maxNamed),
    )
  }
  const readersOfFirst = kinds.map((kind) => ({ kind, readFirst: prepareFirst(kind) }))
  return async (account_sid) => {
    const counts = await readCounts(account_sid)
    const uses = readersOfFirst.map(async ({ kind, readFirst }): Promise<[Kind, Uses]> => {
      const rows = await readFirst(account_sid)
      const first = kind === 'api_keys' ? rows.map(({ sid, name }) => ({ sid, name: maskToken(name) })) : rows
      return [kind, { total: counts?.[kind] ?? 0, first }]
    })
    return accountBlockers.parse(Object.fromEntries(await Promise.all(uses)))
  }
}

const namesByKind: Readonly<Record<Kind, string>> = {
  applications: 'applications',
  phone_numbers: 'phone numbers',
  ms_teams_tenants: 'MS Teams tenants',
  api_keys: 'API keys',
}

/**
 * Locks an account, so that nothing can be added to it until the transaction ends, and throws `account_in_use` with the
 * blockers if there are any.
 */
export const rejectIfBlocked = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  await lockRow(write, account_sid)
  const blockers = await createBlockersReader(write.trx)(account_sid)
  const blocking = kinds.filter((kind) => blockers[kind].total > 0)
  if (blocking.length === 0) return
  const counts = blocking.map((kind) => `${namesByKind[kind]} (${blockers[kind].total})`)
  throwApiError('account_in_use', { msg: `cannot delete account with ${counts.join(', ')}`, blockers })
}
