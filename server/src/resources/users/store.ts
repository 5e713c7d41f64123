import { randomUUID } from 'node:crypto'
import { type Actor, can, noOwner, type Owner } from '@patchbay/contract/api/access'
import { type ApiErrorCode, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { type ListedUser, user as members, type User } from '@patchbay/contract/users'
import { userTable } from '@patchbay/contract/users/record'
import type { Kysely } from 'kysely'
import {
  isAllowedToAct,
  isViewOnly,
  type ScopedOwner,
  toScopedOwner,
  usersWithNames,
  usersWithStatus,
} from '../../auth/principals.ts'
import { type OwnerErrors, resolveOwner } from '../../auth/resolve-owner.ts'
import { lockUsers, type NewPassword, setPassword } from '../../auth/set-password.ts'
import { checkUnique } from '../../auth/unique-user-names.ts'
import { preparedByScope } from '../../auth/visible-to.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { AuthenticatedAuthor, WriteTransaction } from '../../database/write-transaction.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import {
  checkRequestedOwner,
  checkUserChange,
  getPromotedOwner,
  type RequestedOwner,
  type UserChange,
  type UserRules,
} from './user-rules.ts'

/** SQL of users (docs/reference/platform-api/identity.md#users). */

const viewOnlySid = 'ffbc342a-546a-11ed-bdc3-0242ac120002'

/** Columns with the same names as in the API. */
const memberColumns = members
  .omit({ scope: true, is_view_only: true, account_name: true, service_provider_name: true })
  .keyof().options

/** Selects the fields of a user list. */
const selectListedUsers = (db: Kysely<Tables>) => usersWithNames(db).select(['users.email', 'users.provider'])

type ListedRow = Awaited<ReturnType<ReturnType<typeof selectListedUsers>['executeTakeFirstOrThrow']>>

const toListedUser = (row: ListedRow): ListedUser => {
  const { scope, account_sid, service_provider_sid } = toScopedOwner(row)
  const { user_sid, name, email, is_active, force_change, provider, account_name, service_provider_name } = row
  return {
    user_sid,
    name,
    email,
    scope,
    is_active,
    is_view_only: isViewOnly(row),
    force_change,
    provider,
    ...(account_sid === null ? {} : { account_sid, account_name: account_name ?? '' }),
    ...(service_provider_sid === null
      ? {}
      : { service_provider_sid, service_provider_name: service_provider_name ?? '' }),
  }
}

export const createUserStore = ({ db, reader }: Database) => {
  const one = prepared(db, (sid: string) =>
    usersWithNames(db)
      .select(memberColumns.map((column) => `users.${column}` as const))
      .where('users.user_sid', '=', sid),
  )
  // Reads on a separate connection, so that a list of a hundred thousand users does not block other queries.
  const ordered = () => selectListedUsers(reader).orderBy('users.name').orderBy('users.user_sid')
  const findRows = preparedByScope(reader, {
    admin: ordered,
    service_provider: (sid) =>
      ordered().where((where) =>
        where.or([
          where('accounts.service_provider_sid', '=', sid),
          where.and([where('users.account_sid', 'is', null), where('users.service_provider_sid', '=', sid)]),
        ]),
      ),
    account: (sid) => ordered().where('users.account_sid', '=', sid),
  })

  return {
    list: async (actor: Actor): Promise<ListedUser[]> => (await findRows(actor)).map(toListedUser),
    async read(user_sid: string): Promise<User | undefined> {
      const [row] = await one(user_sid)
      if (row === undefined) return undefined
      const { provider_of_account: _provider, account_is_active: _active, only_permission: _only, ...columns } = row
      return { ...columns, ...toScopedOwner(row), is_view_only: isViewOnly(row) }
    },
  }
}

/** Reads a user with the columns that changes need. */
export const readUser = ({ db }: Pick<Database, 'db'>, user_sid: string) =>
  usersWithStatus(db)
    .select([...memberColumns.map((column) => `users.${column}` as const), 'users.hashed_password'])
    .where('users.user_sid', '=', user_sid)
    .executeTakeFirst()

export type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>

/** Checks access again because the user may have been moved since the request was authorized. */
const checkAccess = (actor: Actor, user: UserRow, errorCode: ApiErrorCode): void => {
  const withoutRestrictions = { ...actor, is_view_only: false, must_change_password: false }
  if (actor.user_sid !== user.user_sid && !can(withoutRestrictions, 'write', toScopedOwner(user)))
    throwApiError(errorCode)
}

/** Applies the rules to a change, with the current state of user and account. */
export const checkChange = async (
  db: Kysely<Tables>,
  actor: Actor,
  user: UserRow,
  change: UserChange,
  rules: UserRules,
): Promise<Owner | undefined> => {
  checkAccess(actor, user, 'forbidden')
  const account_sid = getPromotedOwner(toScopedOwner(user), change) ? null : (change.account_sid ?? user.account_sid)
  const account = await db
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid'])
    .where('account_sid', '=', account_sid ?? '')
    .executeTakeFirst()
  checkUserChange(actor, { ...user, owner: toScopedOwner(user) }, change, account, rules)
  return account
}

/** Sets or removes the view-only permission of a user. */
const setViewOnly = async ({ trx, engine }: WriteTransaction, user_sid: string, viewOnly: boolean): Promise<void> => {
  const viewOnlyPermission = trx.selectFrom('permissions').select('permission_sid').where('name', '=', 'VIEW_ONLY')
  const permission = await lockForUpdate(engine, viewOnlyPermission).executeTakeFirst()
  const permission_sid = permission?.permission_sid ?? viewOnlySid
  // Upgraded jambonz databases may lack the row.
  if (permission === undefined)
    await trx
      .insertInto('permissions')
      .values({ permission_sid, name: 'VIEW_ONLY', description: 'Can view data but not make changes' })
      .execute()
  const removal = trx.deleteFrom('user_permissions').where('user_sid', '=', user_sid)
  // Other permissions are removed because view-only is effective only on its own, and the others have no effect
  // (docs/reference/platform-api/identity.md#session-tokens).
  await (viewOnly ? removal : removal.where('permission_sid', '=', permission_sid)).execute()
  if (viewOnly)
    await trx
      .insertInto('user_permissions')
      .values({ user_permissions_sid: randomUUID(), user_sid, permission_sid })
      .execute()
}

const throwWrongAccount = () => throwInvalid('account_sid is not an account of this service provider', 'account_sid')

const ownerErrors: OwnerErrors = {
  unknownAccount: throwWrongAccount,
  unknownProvider: () => throwInvalid('service_provider_sid does not exist', 'service_provider_sid'),
  wrongProvider: throwWrongAccount,
}

/**
 * Returns the owner of a new user: the caller's own scope or one below it, never beside or above it
 * (docs/reference/platform-api/identity.md#users). Only admins choose a provider. For others, it has no effect.
 */
export const resolveOwnerOfNewUser = async (
  db: Kysely<Tables>,
  actor: Actor,
  requested: RequestedOwner,
): Promise<Owner> => {
  checkRequestedOwner(actor, requested)
  const { account_sid } = requested
  return resolveOwner(db, actor, actor.scope === 'admin' ? requested : { account_sid }, noOwner, ownerErrors)
}

export interface NewUserRow extends Owner {
  name: string
  email: string
  hashed_password: string
  is_active: 0 | 1
  force_change: 0 | 1
}

export const createUser = async (write: WriteTransaction, user: NewUserRow, viewOnly: boolean): Promise<string> => {
  await lockUsers(write)
  await checkUnique(write, 'name', user.name)
  await checkUnique(write, 'email', user.email)
  const user_sid = randomUUID()
  const { hashed_password, ...publicColumns } = user
  await write.trx
    .insertInto('users')
    .values({ ...publicColumns, hashed_password, user_sid, provider: 'local' })
    .execute()
  await setViewOnly(write, user_sid, viewOnly)
  const role = toScopedOwner({ ...user, provider_of_account: user.service_provider_sid }).scope
  const after = { ...publicColumns, user_sid, role, is_view_only: viewOnly }
  write.record({ action: 'create', kind: 'user', sid: user_sid, before: null, after })
  return user_sid
}

const toColumns = (owner: ScopedOwner, change: UserChange, account: Owner | undefined) => ({
  ...(change.name ? { name: change.name } : {}),
  ...(change.email ? { email: change.email } : {}),
  ...(change.email_activation_code
    ? { email_activation_code: change.email_activation_code, email_validated: 0 as const }
    : {}),
  ...(change.is_active === undefined ? {} : { is_active: change.is_active }),
  ...(change.force_change === undefined ? {} : { force_change: change.force_change }),
  ...(change.service_provider_sid ? { service_provider_sid: change.service_provider_sid } : {}),
  // The provider of the account is always set too, because other components treat a user with only an account as an
  // admin.
  ...(change.account_sid
    ? { account_sid: change.account_sid, service_provider_sid: account?.service_provider_sid ?? null }
    : {}),
  ...getPromotedOwner(owner, change),
})

const isFullAdmin = (user: UserRow): boolean =>
  toScopedOwner(user).scope === 'admin' && isAllowedToAct(user) && !isViewOnly(user)

/**
 * Rejects a change after which no active admin with full access would remain. `after` is undefined for a deleted user.
 */
const checkAdminRemains = async (
  { trx }: WriteTransaction,
  before: UserRow,
  after: UserRow | undefined,
): Promise<void> => {
  if (!isFullAdmin(before) || (after && isFullAdmin(after))) return
  const admins = await usersWithStatus(trx)
    .where('users.account_sid', 'is', null)
    .where('users.service_provider_sid', 'is', null)
    .where('users.is_active', '=', 1)
    .execute()
  if (!admins.some((admin) => isAllowedToAct(admin) && !isViewOnly(admin))) throwApiError('last_admin')
}

/** A new password, a deactivation, and a move to another owner end the user's sessions. */
const endsSessions = (before: UserRow, after: UserRow): boolean =>
  after.hashed_password !== before.hashed_password ||
  (before.is_active === 1 && after.is_active !== 1) ||
  after.account_sid !== before.account_sid ||
  after.service_provider_sid !== before.service_provider_sid

/** Returns the columns for the audit trail, which records only that the password has changed. */
const toAuditRecord = (row: UserRow) => {
  const { hashed_password: password, provider_of_account: _provider, account_is_active: _active, ...rest } = row
  const { only_permission: _only, ...columns } = rest
  return { ...columns, password, role: toScopedOwner(row).scope, is_view_only: isViewOnly(row) }
}

/** Changes a user. `allowed` is the user as read when the change was authorized. */
export const changeUser = async (
  write: WriteTransaction<AuthenticatedAuthor>,
  allowed: Pick<UserRow, 'user_sid' | 'hashed_password'>,
  change: UserChange,
  password: NewPassword | undefined,
  rules: UserRules,
): Promise<{ endsSessions: boolean }> => {
  const { trx, author } = write
  const { user_sid } = allowed
  // Must come first, because MySQL's snapshot of a transaction starts with the first read.
  await lockUsers(write)
  const before = (await readUser({ db: trx }, user_sid)) ?? throwApiError('user_not_found')
  const account = author === 'patchbay' ? undefined : await checkChange(trx, author, before, change, rules)
  if (change.old_password && before.hashed_password !== allowed.hashed_password) throwApiError('forbidden')
  if (change.name) await checkUnique(write, 'name', change.name, { except: user_sid })
  if (change.email) await checkUnique(write, 'email', change.email, { except: user_sid })
  const columns = toColumns(toScopedOwner(before), change, account)
  if (Object.keys(columns).length > 0)
    await trx.updateTable('users').set(columns).where('user_sid', '=', user_sid).execute()
  // Must follow the update of the columns, because a password chosen by the user clears the mark that it must be
  // changed.
  if (password) await setPassword(write, allowed, password)
  if (change.is_view_only !== undefined) await setViewOnly(write, user_sid, change.is_view_only === 1)
  const after = (await readUser({ db: trx }, user_sid)) ?? throwApiError('user_not_found')
  await checkAdminRemains(write, before, after)
  write.record({
    action: 'update',
    kind: 'user',
    sid: user_sid,
    before: toAuditRecord(before),
    after: toAuditRecord(after),
  })
  return { endsSessions: endsSessions(before, after) }
}

export const deleteUser = async (write: WriteTransaction<AuthenticatedAuthor>, user_sid: string): Promise<void> => {
  const { trx, author } = write
  await lockUsers(write)
  const before = (await readUser({ db: trx }, user_sid)) ?? throwApiError('not_found')
  if (author !== 'patchbay') checkAccess(author, before, 'insufficient_permissions')
  await trx
    .updateTable('patchbay_review_items')
    .set({ assignee_sid: null })
    .where('assignee_sid', '=', user_sid)
    .execute()
  await deleteRecord(write, userTable, user_sid)
  await checkAdminRemains(write, before, undefined)
  write.record({ action: 'delete', kind: 'user', sid: user_sid, before: toAuditRecord(before), after: null })
}
