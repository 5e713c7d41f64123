import { randomUUID } from 'node:crypto'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { NewSavedView, SavedView, SavedViewChange } from '@patchbay/contract/saved-views'
import { maxSavedViews, type ViewedScreen } from '@patchbay/contract/shared/viewed-screens'
import { lockUser, type SignedInUser, toUserSid } from '../../auth/signed-in-user.ts'
import type { Database } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** SQL of saved views and chosen columns. All of them belong to a user, and only the user has access. */

export interface ViewOwner extends SignedInUser {
  account_sid: string | null
  service_provider_sid: string | null
}

/** Reads what the user has chosen for a screen. */
export const readListSettings = async ({ reader }: Database, actor: ViewOwner, screen: ViewedScreen) => {
  const user_sid = toUserSid(actor)
  const [chosen, views] = await Promise.all([
    reader
      .selectFrom('patchbay_list_columns')
      .select('columns')
      .where('user_sid', '=', user_sid)
      .where('screen', '=', screen)
      .executeTakeFirst(),
    reader
      .selectFrom('patchbay_saved_views')
      .select(['saved_view_sid', 'name', 'search'])
      .where('user_sid', '=', user_sid)
      .where('screen', '=', screen)
      .orderBy('name')
      .execute(),
  ])
  return {
    columns: chosen === undefined ? null : (JSON.parse(chosen.columns) as string[]),
    views: views.map((view) => ({ ...view, search: JSON.parse(view.search) as SavedView['search'] })),
  }
}

/** Replaces the chosen columns of a screen. The audit trail does not record them, because they only affect the display. */
export const chooseColumns = async (
  write: WriteTransaction,
  actor: ViewOwner,
  { screen, columns }: { screen: ViewedScreen; columns: readonly string[] | null },
): Promise<void> => {
  const user_sid = toUserSid(actor)
  await lockUser(write, user_sid)
  await write.trx
    .deleteFrom('patchbay_list_columns')
    .where('user_sid', '=', user_sid)
    .where('screen', '=', screen)
    .execute()
  if (columns === null) return
  const row = { user_sid, screen, columns: JSON.stringify(columns) }
  await write.trx.insertInto('patchbay_list_columns').values(row).execute()
}

/** Throws if the user has another view with this name on the screen. The database ignores upper and lower case. */
const checkName = async (
  { trx }: WriteTransaction,
  {
    user_sid,
    screen,
    name,
    saved_view_sid,
  }: { user_sid: string; screen: string; name: string; saved_view_sid: string },
): Promise<void> => {
  const taken = await trx
    .selectFrom('patchbay_saved_views')
    .select('saved_view_sid')
    .where('user_sid', '=', user_sid)
    .where('screen', '=', screen)
    .where('name', '=', name)
    .where('saved_view_sid', '!=', saved_view_sid)
    .executeTakeFirst()
  if (taken) throwApiError('view_name_taken')
}

const checkLimit = async ({ trx }: WriteTransaction, user_sid: string): Promise<void> => {
  const { views } = await trx
    .selectFrom('patchbay_saved_views')
    .select(({ fn }) => fn.countAll<number | string>().as('views'))
    .where('user_sid', '=', user_sid)
    .executeTakeFirstOrThrow()
  if (Number(views) >= maxSavedViews)
    throwInvalid(`You have ${maxSavedViews} saved views, which is the maximum. Delete one first`)
}

const toOwner = ({ account_sid, service_provider_sid }: ViewOwner) => ({ account_sid, service_provider_sid })

export const createSavedView = async (
  write: WriteTransaction,
  actor: ViewOwner,
  { screen, name, search }: NewSavedView,
): Promise<string> => {
  const user_sid = toUserSid(actor)
  await lockUser(write, user_sid)
  const sid = randomUUID()
  await checkName(write, { user_sid, screen, name, saved_view_sid: sid })
  await checkLimit(write, user_sid)
  const after = { saved_view_sid: sid, user_sid, screen, name, search: JSON.stringify(search) }
  await write.trx.insertInto('patchbay_saved_views').values(after).execute()
  write.record({ action: 'create', kind: 'saved_view', sid, name, owner: toOwner(actor), before: null, after })
  return sid
}

/** Returns a view of the user. Views of others are treated like unknown ones. */
const lockView = async (write: WriteTransaction, user_sid: string, sid: string) => {
  await lockUser(write, user_sid)
  const view = await write.trx
    .selectFrom('patchbay_saved_views')
    .selectAll()
    .where('saved_view_sid', '=', sid)
    .where('user_sid', '=', user_sid)
    .executeTakeFirst()
  return view ?? throwApiError('not_found')
}

export const changeSavedView = async (
  write: WriteTransaction,
  actor: ViewOwner,
  sid: string,
  changes: SavedViewChange,
): Promise<void> => {
  const before = await lockView(write, toUserSid(actor), sid)
  const { name = before.name } = changes
  const search = changes.search === undefined ? before.search : JSON.stringify(changes.search)
  await checkName(write, { ...before, name })
  await write.trx.updateTable('patchbay_saved_views').set({ name, search }).where('saved_view_sid', '=', sid).execute()
  const after = { ...before, name, search }
  write.record({ action: 'update', kind: 'saved_view', sid, name, owner: toOwner(actor), before, after })
}

export const deleteSavedView = async (write: WriteTransaction, actor: ViewOwner, sid: string): Promise<void> => {
  const before = await lockView(write, toUserSid(actor), sid)
  await write.trx.deleteFrom('patchbay_saved_views').where('saved_view_sid', '=', sid).execute()
  const { name } = before
  write.record({ action: 'delete', kind: 'saved_view', sid, name, owner: toOwner(actor), before, after: null })
}
