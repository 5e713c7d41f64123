import { throwInvalid } from '@patchbay/contract/api/errors'
import { toScopedOwner, usersWithStatus } from '../../auth/principals.ts'
import { useUpResetLink } from '../../auth/reset-links.ts'
import { lockUsers, setPassword } from '../../auth/set-password.ts'
import type { Database } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Queries for changing a password. */

export const readUser = ({ db }: Pick<Database, 'db'>, user_sid: string) =>
  usersWithStatus(db)
    .select(['users.provider', 'users.hashed_password'])
    .where('users.user_sid', '=', user_sid)
    .executeTakeFirst()

export type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>

/**
 * Changes a password. `user` is the row as read when the change was authorized. `link` is the SHA-256 hash of the link
 * that authorizes the change, and is used up.
 */
export const changePassword = async (
  write: WriteTransaction,
  user: UserRow,
  { hash, link }: { hash: string; link: string | undefined },
): Promise<void> => {
  const { user_sid, hashed_password, force_change, name } = user
  await lockUsers(write)
  if (link !== undefined && !(await useUpResetLink(write.trx, link)))
    throwInvalid('old_password is incorrect', 'old_password')
  await setPassword(write, user, { hash, chosen: true })
  const before = { password: hashed_password, force_change }
  const { account_sid, service_provider_sid } = toScopedOwner(user)
  const event = { kind: 'user' as const, sid: user_sid, name, owner: { account_sid, service_provider_sid } }
  write.record({ action: 'update', ...event, before, after: { password: hash, force_change: 0 } })
}
