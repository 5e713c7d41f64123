import { invalid, refuse } from '@patchbay/contract/errors'
import { type Database, held, oneAtATime } from '../../database/engine.ts'
import type { Write } from '../../database/write.ts'
import { placeOf, userStandings } from '../../stores/principals.ts'
import { useUpResetLink } from '../../stores/reset-links.ts'

/** What the change of a password needs to know of a user. */

export const readUser = ({ db }: Pick<Database, 'db'>, user_sid: string) =>
  userStandings(db)
    .select(['users.provider', 'users.hashed_password'])
    .where('users.user_sid', '=', user_sid)
    .executeTakeFirst()

export type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>

export interface NewPassword {
  hash: string
  /** SHA-256 of the link that allows it */
  link?: string | undefined
}

/** `user`: as read when the change was allowed; another password by now means that somebody else was first. */
export const changePassword = async (write: Write, user: UserRow, { hash, link }: NewPassword): Promise<void> => {
  const { trx, engine } = write
  const { user_sid, hashed_password, force_change, name } = user
  // With all other changes of users in turn (users/store.ts).
  await oneAtATime(trx, engine, 'users')
  if (link !== undefined && !(await useUpResetLink(trx, link))) invalid('old_password is incorrect', 'old_password')
  const standing = trx.selectFrom('users').select('hashed_password').where('user_sid', '=', user_sid)
  if ((await held(engine, standing).executeTakeFirst())?.hashed_password !== hashed_password) refuse('forbidden')
  await trx
    .updateTable('users')
    .set({ hashed_password: hash, force_change: 0 })
    .where('user_sid', '=', user_sid)
    .execute()
  const before = { password: hashed_password, force_change }
  const { account_sid, service_provider_sid } = placeOf(user)
  const thing = { kind: 'user', sid: user_sid, name, owner: { account_sid, service_provider_sid } }
  write.record({ action: 'update', ...thing, before, after: { password: hash, force_change: 0 } })
}
