import type { Actor } from '@patchbay/contract/access'
import { invalid, refuse } from '@patchbay/contract/errors'
import type { userEndpoints } from '@patchbay/contract/users'
import type { Services } from '../../app.ts'
import { created, done, ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import { hashPassword, verifyPassword } from '../../passwords.ts'
import { checkPassword, readPasswordPolicy } from '../../stores/password-policy.ts'
import { changeUser, createUser, readMe, readUser, type UserColumns } from './store.ts'
import { checkUserChange, type UserChange } from './user-changes.ts'

interface Placement {
  account_sid: string | null
  service_provider_sid: string | null
}

export const userRoutes = ({
  database,
  write,
  encryption,
  owners,
  sessions,
}: Services): Handlers<keyof typeof userEndpoints> => {
  /** Where a new user belongs: the caller's own place or below it, never beside or above it (§5.4, safe rule). */
  const placementOf = async (actor: Actor, asked: Placement): Promise<Placement> => {
    if (actor.scope === 'account')
      return { account_sid: actor.account_sid, service_provider_sid: actor.service_provider_sid }
    const provider = actor.scope === 'service_provider' ? actor.service_provider_sid : asked.service_provider_sid
    if (asked.account_sid === null) return providerPlacement(provider)
    const account = await owners.account(asked.account_sid)
    if (account === undefined || (provider !== null && account.service_provider_sid !== provider))
      return invalid('account_sid is not an account of this service provider', 'account_sid')
    return { account_sid: asked.account_sid, service_provider_sid: account.service_provider_sid }
  }

  const providerPlacement = async (provider: string | null): Promise<Placement> => {
    if (provider !== null && (await owners.service_provider(provider)) === undefined)
      return invalid('service_provider_sid does not exist', 'service_provider_sid')
    return { account_sid: null, service_provider_sid: provider }
  }

  /** Verifies the old password and answers the hash of the new one. */
  const newHash = async (change: UserChange, stored: string | null): Promise<string | undefined> => {
    const { old_password, new_password } = change
    if (!old_password || !new_password) return undefined
    checkPassword(new_password, await readPasswordPolicy(database.db), 'new_password')
    if (!(await verifyPassword(stored, old_password))) return refuse('forbidden')
    if (old_password === new_password) return invalid('new password cannot be your old password', 'new_password')
    return hashPassword(new_password)
  }

  const resetHash = async ({ initial_password }: UserChange): Promise<string | undefined> => {
    if (!initial_password) return undefined
    checkPassword(initial_password, await readPasswordPolicy(database.db), 'initial_password')
    return hashPassword(initial_password)
  }

  const columnsOf = async (change: UserChange, stored: string | null): Promise<UserColumns> => {
    const chosen = await newHash(change, stored)
    const hashed_password = chosen ?? (await resetHash(change))
    return {
      ...(change.name ? { name: change.name } : {}),
      ...(change.email ? { email: change.email } : {}),
      ...(change.email_activation_code
        ? { email_activation_code: change.email_activation_code, email_validated: 0 as const }
        : {}),
      ...(hashed_password ? { hashed_password } : {}),
      ...(change.is_active === undefined ? {} : { is_active: change.is_active }),
      ...(chosen
        ? { force_change: 0 as const }
        : change.force_change === undefined
          ? {}
          : { force_change: change.force_change }),
      ...(change.account_sid ? { account_sid: change.account_sid } : {}),
      ...(change.service_provider_sid ? { service_provider_sid: change.service_provider_sid } : {}),
    }
  }

  return {
    'GET /Users/me': async ({ actor }) =>
      ok(await readMe(database, encryption, actor.user_sid ?? refuse('forbidden'), actor.is_view_only)),

    'POST /Users': async ({ actor, body }) => {
      checkPassword(body.initial_password, await readPasswordPolicy(database.db), 'initial_password')
      const placement = await placementOf(actor, {
        account_sid: body.account_sid ?? null,
        service_provider_sid: body.service_provider_sid ?? null,
      })
      const row = {
        name: body.name,
        email: body.email,
        hashed_password: await hashPassword(body.initial_password),
        is_active: body.is_active ?? 1,
        force_change: body.force_change ?? 0,
        ...placement,
      }
      return created({ user_sid: await write(actor, (door) => createUser(door, row, body.is_view_only === 1)) })
    },

    'PUT /Users/:user_sid': async ({ actor, params: { user_sid }, body, token }) => {
      checkOwnPasswordOnly(actor, user_sid, body)
      const user = (await readUser(database, user_sid)) ?? refuse('user_unknown')
      const place = body.account_sid ?? user.account_sid
      const account = place ? await owners.account(place) : undefined
      checkUserChange(actor, user, body, account)
      // With an account comes its provider: other components take a user with an account alone for an admin.
      const placed =
        body.account_sid && account ? { ...body, service_provider_sid: account.service_provider_sid } : body
      const columns = await columnsOf(placed, user.hashed_password)
      const viewOnly = body.is_view_only === undefined ? undefined : body.is_view_only === 1
      await write(actor, (door) => changeUser(door, user_sid, columns, viewOnly))
      if (endsSessions(user, columns)) await sessions.endAll(user_sid, actor.user_sid === user_sid ? token : undefined)
      return done
    },
  }
}

/** A view-only user, and one who must change the password, may change the own password here and nothing else. */
const checkOwnPasswordOnly = (actor: Actor, user_sid: string, change: UserChange): void => {
  if (!actor.is_view_only && !actor.must_change_password) return
  const { old_password, new_password, ...rest } = change
  const onlyPassword =
    Boolean(old_password && new_password) && Object.values(rest).every((value) => value === undefined)
  if (actor.user_sid === user_sid && onlyPassword) return
  refuse(actor.must_change_password ? 'password_change_required' : 'view_only')
}

/** A new password, a deactivation and a move end what is signed in, except the session that did it. */
const endsSessions = (before: Placement, after: UserColumns): boolean =>
  after.hashed_password !== undefined ||
  after.is_active === 0 ||
  (after.account_sid !== undefined && after.account_sid !== before.account_sid) ||
  (after.service_provider_sid !== undefined && after.service_provider_sid !== before.service_provider_sid)
