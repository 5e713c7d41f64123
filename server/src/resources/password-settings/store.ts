import { defaultPasswordPolicy } from '@patchbay/rules/identity/passwords'
import { readPasswordPolicy } from '../../auth/password-policy.ts'
import { acquireNamedLock } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

interface PolicyChange {
  min_password_length?: number
  require_digit?: 0 | 1
  require_special_character?: 0 | 1
}

/** Writes the single row of the password policy. Absent fields remain unchanged. */
export const savePasswordPolicy = async (write: WriteTransaction, change: PolicyChange): Promise<void> => {
  if (Object.values(change).every((value) => value === undefined)) return
  // The table has no unique key that would prevent a second row.
  await acquireNamedLock(write.trx, write.engine, 'password_settings')
  const before = await readPasswordPolicy(write.trx)
  const { numUpdatedRows } = await write.trx.updateTable('password_settings').set(change).executeTakeFirst()
  const exists = await write.trx.selectFrom('password_settings').select('min_password_length').executeTakeFirst()
  if (numUpdatedRows === 0n && exists === undefined)
    await write.trx
      .insertInto('password_settings')
      .values({ min_password_length: defaultPasswordPolicy.min_password_length, ...change })
      .execute()
  const after = await readPasswordPolicy(write.trx)
  write.record({ action: 'update', kind: 'password_settings', sid: '', before, after })
}
