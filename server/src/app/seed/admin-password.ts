import { randomBytes } from 'node:crypto'
import { FatalError } from '../../lib/cli.ts'
import { createSqlSessions } from '../../auth/sessions/sql-sessions.ts'
import { findByName } from '../../resources/sessions/store.ts'
import { changeUser } from '../../resources/users/store.ts'
import type { Services } from '../../resources/services.ts'
import { toScopedOwner } from '../../auth/principals.ts'

type Needed = Pick<Services, 'database' | 'write' | 'sessions' | 'passwords'>

/**
 * A new random password for an admin who cannot sign in any more: it must be changed at the first sign-in, ends what
 * is signed in, and ends a lock-out.
 */
export const setAdminPassword = async (
  { database, write, sessions, passwords }: Needed,
  name: string,
): Promise<{ name: string; password: string }> => {
  const user = await findByName(database, name)
  if (user === undefined) throw new FatalError(`There is no user ${name}.`)
  if (toScopedOwner(user).scope !== 'admin')
    throw new FatalError(`${user.name} is no admin: an admin sets their password.`)
  if (user.provider !== 'local') throw new FatalError(`${user.name} signs in by ${user.provider}, without a password.`)
  if (user.is_active !== 1) throw new FatalError(`${user.name} is deactivated, and could not sign in.`)
  const password = randomBytes(16).toString('base64url')
  const changed = { hash: await passwords.hash(password), chosen: false }
  // With another password a lock-out ends: failures are counted by user and hash.
  await write('patchbay', async (tx) => {
    await changeUser(tx, user, { force_change: 1 }, changed, { mailsLinks: false })
    // With Redis sessions live there; those of the database are of a time without it.
    for (const kept of [createSqlSessions(database), sessions]) await kept.endAll(user.user_sid, { trx: tx.trx })
  })
  return { name: user.name, password }
}
