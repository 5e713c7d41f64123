import { type AccountBlockers, accountBlockers } from '@patchbay/contract/accounts'
import { throwApiError } from '@patchbay/contract/api/errors'
import { getMemberBlockers } from '@patchbay/contract/api/record-tables'
import { kindNoun } from '@patchbay/contract/shared/record-kinds'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { createUsesReader } from '../shared/references.ts'
import { lockRow } from './store.ts'

const blocking = getMemberBlockers()

/**
 * Creates a reader for the resources that prevent the deletion of an account: the first of each kind, and the total
 * count.
 */
export const createBlockersReader = (db: Kysely<Tables>): ((account_sid: string) => Promise<AccountBlockers>) => {
  const readUses = createUsesReader(db, blocking)
  return async (account_sid) => accountBlockers.parse(await readUses(account_sid))
}

/** Returns the plural of the noun for the records of a table, such as `phone numbers`. */
const toPlural = (key: string): string => `${kindNoun(key.replace(/_sid$/, ''))}s`

/**
 * Locks an account, so that nothing can be added to it until the transaction ends, and throws `account_in_use` with the
 * blockers if there are any.
 */
export const rejectIfBlocked = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  await lockRow(write, account_sid)
  const blockers = await createBlockersReader(write.trx)(account_sid)
  const counts = blocking
    .filter(({ name }) => blockers[name].total > 0)
    .map(({ name, table }) => `${toPlural(table.key)} (${blockers[name].total})`)
  if (counts.length > 0)
    throwApiError('account_in_use', { msg: `cannot delete account with ${counts.join(', ')}`, blockers })
}
