import { refuse, type RefusalCode } from '@patchbay/contract/errors'
import { lockForUpdate } from '../database/engine.ts'
import type { Write } from '../database/write.ts'

/** Names and addresses of users, which no index keeps apart: who asks holds `oneUserAtATime`. */
export const checkUnique = async (
  { trx, engine }: Write,
  column: 'name' | 'email',
  value: string,
  { except, refusal = 'user_name_taken' }: { except?: string; refusal?: RefusalCode } = {},
): Promise<void> => {
  let same = trx.selectFrom('users').select('user_sid').where(column, '=', value)
  if (except) same = same.where('user_sid', '!=', except)
  if (await lockForUpdate(engine, same).executeTakeFirst()) refuse(refusal, { field: column })
}
