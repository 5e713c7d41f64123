import { randomBytes } from 'node:crypto'
import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { userEndpoints } from '@patchbay/contract/users'
import { checkNewPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import type { NewPassword } from '../../auth/set-password.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { created, ok, okOrNotFound } from '../../http/responses.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { createInvitationMailer } from './invitation-mailer.ts'
import { readMe } from './me.ts'
import {
  changeUser,
  checkChange,
  createUser,
  createUserStore,
  deleteUser,
  readUser,
  resolveOwnerOfNewUser,
  type UserRow,
} from './store.ts'
import { checkNewEmail, normalizeOwnPassword, type UserChange } from './user-rules.ts'

export const userRoutes = (services: Services): Handlers<keyof typeof userEndpoints> => {
  const { configuration, database, write, encryption, sessions, passwords, passwordAttempts } = services
  const invitations = createInvitationMailer(services)
  const users = createUserStore(database)
  const rules = { canMailLinks: configuration.passwordReset !== null, isHosted: configuration.hosting !== null }

  /** Returns the hash of the new password of a change, after verifying the old password if the request contains it. */
  const preparePassword = async (
    { user_sid, hashed_password }: UserRow,
    { old_password, new_password, initial_password }: UserChange,
    { address, signal }: Pick<Context<'PUT /Users/:user_sid'>, 'address' | 'signal'>,
  ): Promise<NewPassword | undefined> => {
    const password = new_password || initial_password
    if (new_password)
      checkNewPassword(configuration, new_password, await readPasswordPolicy(database.db), 'new_password')
    else if (initial_password)
      checkNewPassword(configuration, initial_password, await readPasswordPolicy(database.db), 'initial_password')
    if (old_password) {
      const find = () => Promise.resolve({ user_sid, hashed_password })
      const attempt = { find, name: user_sid, password: old_password, address, signal }
      if ((await passwordAttempts.verify(attempt)) === undefined)
        return throwApiError('forbidden', { field: 'old_password' })
      if (old_password === new_password) return throwInvalid('new password cannot be your old password', 'new_password')
    }
    if (!password) return undefined
    const hash = await passwords.hash(password, { owner: toClientNetwork(address), signal })
    return { hash, chosen: Boolean(new_password) }
  }

  return {
    'GET /Users': async ({ actor }) => ok(await users.list(actor)),

    'GET /Users/me': async ({ actor }) =>
      ok(
        await readMe(database, encryption, actor.user_sid ?? throwApiError('forbidden'), {
          is_view_only: actor.is_view_only,
          is_hosted: configuration.hosting !== null,
        }),
      ),

    'GET /Users/:user_sid': ({ params }) => okOrNotFound(users.read(params.user_sid)),

    'POST /Users': async ({ actor, body, address, signal }) => {
      checkNewEmail(body.email)
      checkNewPassword(configuration, body.initial_password, await readPasswordPolicy(database.db), 'initial_password')
      const owner = await resolveOwnerOfNewUser(database.db, actor, body)
      const row = {
        name: body.name,
        email: body.email,
        hashed_password: await passwords.hash(body.initial_password, { owner: toClientNetwork(address), signal }),
        is_active: body.is_active ?? 1,
        force_change: body.force_change ?? 0,
        ...owner,
      }
      return created({ user_sid: await write(actor, (tx) => createUser(tx, row, body.is_view_only === 1)) })
    },

    'POST /patchbay/users/invitations': async ({ actor, body, address, signal }) => {
      invitations.requireMail()
      checkNewEmail(body.email)
      const owner = await resolveOwnerOfNewUser(database.db, actor, body)
      await invitations.countMail(actor, body.email)
      // The password is random and discarded, so the user can sign in only after choosing one.
      const unknownPassword = randomBytes(32).toString('base64url')
      const row = {
        name: body.name,
        email: body.email,
        hashed_password: await passwords.hash(unknownPassword, { owner: toClientNetwork(address), signal }),
        is_active: 1 as const,
        force_change: 1 as const,
        ...owner,
      }
      const user_sid = await write(actor, (tx) => createUser(tx, row, body.is_view_only === 1))
      return created({ user_sid, is_mailed: await invitations.send(actor, user_sid) })
    },

    'POST /patchbay/users/:user_sid/invitation': async ({ actor, params: { user_sid } }) => {
      invitations.requireMail()
      const { email } = (await readUser(database, user_sid)) ?? throwApiError('user_not_found')
      await invitations.countMail(actor, email)
      if (!(await invitations.send(actor, user_sid))) throwApiError('email_not_sent')
    },

    'PUT /Users/:user_sid': async ({ actor, params: { user_sid }, body, token, address, signal }) => {
      checkOwnPasswordOnly(actor, user_sid, body)
      const change = normalizeOwnPassword(actor, user_sid, body)
      const user = (await readUser(database, user_sid)) ?? throwApiError('user_not_found')
      await checkChange(database.db, actor, user, change, rules)
      const password = await preparePassword(user, change, { address, signal })
      const own = actor.user_sid === user_sid ? { except: token } : {}
      await write(actor, async (tx) => {
        const { endsSessions } = await changeUser(tx, user, change, password, rules)
        // Sessions in Redis are not part of the transaction that a preview rolls back.
        if (endsSessions && actor.preview === undefined) await sessions.endAll(user_sid, { ...own, trx: tx.trx })
      })
    },

    'DELETE /Users/:user_sid': async ({ actor, params: { user_sid } }) => {
      await write(actor, async (tx) => {
        await deleteUser(tx, user_sid)
        await sessions.endAll(user_sid, { trx: tx.trx })
      })
    },
  }
}

/** View-only users and users who must change their password may change only their own password. */
const checkOwnPasswordOnly = (actor: Actor, user_sid: string, change: UserChange): void => {
  if (!actor.is_view_only && !actor.must_change_password) return
  const { old_password, new_password, initial_password, ...rest } = change
  const isPasswordChange =
    Boolean(old_password && (new_password || initial_password)) &&
    Object.values(rest).every((value) => value === undefined)
  if (actor.user_sid === user_sid && isPasswordChange) return
  throwApiError(actor.must_change_password ? 'password_change_required' : 'view_only')
}
