import { randomBytes } from 'node:crypto'
import type { Services } from '../app.ts'
import { hashPassword } from '../passwords.ts'
import { CannotGoOn } from '../program.ts'
import { createSqlSessions } from '../platform/sessions/sql-sessions.ts'
import { createSignInAttempts } from '../resources/sessions/sign-in-attempts.ts'
import { findByName, scopeOf } from '../resources/sessions/store.ts'
import { changeUser } from '../resources/users/store.ts'

type Needed = Pick<Services, 'configuration' | 'database' | 'write' | 'sessions' | 'counters'>

/**
 * A new random password for an admin who cannot sign in any more: it must be changed at the first sign-in, ends what
 * is signed in, and ends a lock-out.
 */
export const setAdminPassword = async (
  { configuration, database, write, sessions, counters }: Needed,
  name: string,
): Promise<{ name: string; password: string }> => {
  const user = await findByName(database, name)
  if (user === undefined) throw new CannotGoOn(`There is no user ${name}.`)
  if (scopeOf(user) !== 'admin') throw new CannotGoOn(`${user.name} is no admin: an admin sets their password.`)
  if (user.provider !== 'local') throw new CannotGoOn(`${user.name} signs in by ${user.provider}, without a password.`)
  if (user.is_active !== 1) throw new CannotGoOn(`${user.name} is deactivated, and could not sign in.`)
  const password = randomBytes(12).toString('base64url')
  const hashed_password = await hashPassword(password)
  await write('patchbay', (door) => changeUser(door, user.user_sid, { hashed_password, force_change: 1 }, undefined))
  // With Redis sessions live there; those of the database are of a time without it.
  await createSqlSessions(database).endAll(user.user_sid)
  await sessions.endAll(user.user_sid)
  await createSignInAttempts(counters, configuration.signIn).succeeded(user.name)
  return { name: user.name, password }
}
