import type { Actor, Owner } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { userEndpoints } from '@patchbay/contract/users'
import { created, okOrNotFound, ok } from '../../http/responses.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { checkPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import type { NewPassword } from '../../auth/set-password.ts'
import { readMe } from './me.ts'
import { changeUser, checkChange, createUser, createUserStore, deleteUser, readUser, type UserRow } from './store.ts'
import {
  checkNewEmail,
  checkRequestedOwner,
  type RequestedOwner,
  type UserChange,
  normalizeOwnPassword,
} from './user-rules.ts'

export const userRoutes = ({
  configuration,
  database,
  write,
  encryption,
  owners,
  sessions,
  passwords,
  passwordAttempts,
}: Services): Handlers<keyof typeof userEndpoints> => {
  const users = createUserStore(database)
  const rules = { canMailLinks: configuration.passwordReset !== null }

  /**
   * Returns the owner of a new user: the caller's own scope or one below it, never beside or above it
   * (docs/reference/platform-api/identity.md#users).
   */
  const resolveOwner = async (actor: Actor, body: RequestedOwner): Promise<Owner> => {
    checkRequestedOwner(actor, body)
    if (actor.scope === 'account')
      return { account_sid: actor.account_sid, service_provider_sid: actor.service_provider_sid }
    const provider =
      actor.scope === 'service_provider' ? actor.service_provider_sid : (body.service_provider_sid ?? null)
    if (!body.account_sid) return resolveProviderOwner(provider)
    const account = await owners.account(body.account_sid)
    if (account === undefined || (provider !== null && account.service_provider_sid !== provider))
      return throwInvalid('account_sid is not an account of this service provider', 'account_sid')
    return { account_sid: body.account_sid, service_provider_sid: account.service_provider_sid }
  }

  const resolveProviderOwner = async (provider: string | null): Promise<Owner> => {
    if (provider !== null && (await owners.service_provider(provider)) === undefined)
      return throwInvalid('service_provider_sid does not exist', 'service_provider_sid')
    return { account_sid: null, service_provider_sid: provider }
  }

  /** Returns the hash of the new password of a change, after verifying the old password if the request contains it. */
  const preparePassword = async (
    { user_sid, hashed_password }: UserRow,
    { old_password, new_password, initial_password }: UserChange,
    { address, signal }: Pick<Context<'PUT /Users/:user_sid'>, 'address' | 'signal'>,
  ): Promise<NewPassword | undefined> => {
    const password = new_password || initial_password
    if (password)
      checkPassword(password, await readPasswordPolicy(database.db), new_password ? 'new_password' : 'initial_password')
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
      checkPassword(body.initial_password, await readPasswordPolicy(database.db), 'initial_password')
      const placement = await resolveOwner(actor, body)
      const row = {
        name: body.name,
        email: body.email,
        hashed_password: await passwords.hash(body.initial_password, { owner: toClientNetwork(address), signal }),
        is_active: body.is_active ?? 1,
        force_change: body.force_change ?? 0,
        ...placement,
      }
      return created({ user_sid: await write(actor, (tx) => createUser(tx, row, body.is_view_only === 1)) })
    },

    'PUT /Users/:user_sid': async ({ actor, params: { user_sid }, body, token, address, signal }) => {
      checkOwnPasswordOnly(actor, user_sid, body)
      const change = normalizeOwnPassword(actor, user_sid, body)
      const user = (await readUser(database, user_sid)) ?? throwApiError('user_unknown')
      await checkChange(database.db, actor, user, change, rules)
      const password = await preparePassword(user, change, { address, signal })
      const own = actor.user_sid === user_sid ? { except: token } : {}
      await write(actor, async (tx) => {
        const { endsSessions } = await changeUser(tx, user, change, password, rules)
        if (endsSessions) await sessions.endAll(user_sid, { ...own, trx: tx.trx })
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
