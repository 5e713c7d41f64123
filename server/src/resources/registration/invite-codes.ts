import { randomInt } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Invite codes for registration (docs/reference/platform-api/hosted-mode.md#invite-codes). */

const alphabet = '0123456789ABCXZ'
const length = 6

export const isUnusedCode = async ({ db }: Database, code: string): Promise<boolean> =>
  (await db
    .selectFrom('beta_invite_codes')
    .select('invite_code')
    .where('invite_code', '=', code)
    .where('in_use', '=', 0)
    .executeTakeFirst()) !== undefined

/** Claims a code. Of two concurrent claims, only one succeeds. */
export const claimCode = async ({ db }: Database, code: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('beta_invite_codes')
    .set({ in_use: 1 })
    .where('invite_code', '=', code)
    .where('in_use', '=', 0)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

const newCode = (): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

export const createInviteCodes = async (write: WriteTransaction, count: number): Promise<string[]> => {
  const { trx } = write
  const codes = new Set<string>()
  while (codes.size < count) {
    const invite_code = newCode()
    const taken = trx.selectFrom('beta_invite_codes').select('invite_code').where('invite_code', '=', invite_code)
    if (codes.has(invite_code) || (await taken.executeTakeFirst())) continue
    await trx.insertInto('beta_invite_codes').values({ invite_code }).execute()
    codes.add(invite_code)
  }
  write.record({ action: 'create', kind: 'invite_code', sid: '', name: `${count}`, before: null, after: { count } })
  return [...codes]
}
