import { randomBytes } from 'node:crypto'
import { toScopedOwner } from '../../auth/principals.ts'
import { createSqlSessions } from '../../auth/sessions/sql-sessions.ts'
import { FatalError } from '../../lib/cli.ts'
import type { Services } from '../../resources/services.ts'
import { findByName } from '../../resources/shared/sign-in-users.ts'
import { changeUser } from '../../resources/users/store.ts'

type PasswordServices = Pick<Services, 'database' | 'write' | 'sessions' | 'passwords'>

/**
 * Gives an admin who can no longer sign in a new random password, which must be changed at the first sign-in. Ends the
 * admin's sessions and lock-out.
 */
export const setAdminPassword = async (
  { database, write, sessions, passwords }: PasswordServices,
  name: string,
): Promise<{ name: string; password: string }> => {
  const user = await findByName(database, name)
  if (user === undefined) throw new FatalError(`There is no user ${name}.`)
  if (toScopedOwner(user).scope !== 'admin')
    throw new FatalError(`${user.name} is not an admin. An admin sets their password in the console.`)
  if (user.provider !== 'local')
    throw new FatalError(`${user.name} signs in with ${user.provider} and has no password.`)
  if (user.is_active !== 1) throw new FatalError(`${user.name} is deactivated, and could not sign in.`)
  const password = randomBytes(16).toString('base64url')
  const newPassword = { hash: await passwords.hash(password), chosen: false }
  // A new password ends a lock-out, because failures are counted by user and password hash.
  await write('patchbay', async (tx) => {
    await changeUser(tx, user, { force_change: 1 }, newPassword, { canMailLinks: false, isHosted: false })
    // With Redis, sessions are stored there. The database may contain sessions from before Redis was configured.
    for (const sessionStore of [createSqlSessions(database), sessions])
      await sessionStore.endAll(user.user_sid, { trx: tx.trx })
  })
  return { name: user.name, password }
}
