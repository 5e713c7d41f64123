import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { created, name, text } from './api/values.ts'
import { savedViewLengths as lengths, viewedScreens } from './shared/viewed-screens.ts'

/** Columns and named views that users choose for the lists of the console. A Patchbay extension. */

const screen = z.enum(viewedScreens)

/** The search parameters of the list, by name. The console ignores those that it does not know. */
const search = z
  .record(z.string().regex(/^\w{1,64}$/, { error: 'must have names of letters and digits' }), text(lengths.parameter))
  .refine((parameters) => JSON.stringify(parameters).length <= lengths.search, {
    error: `must be at most ${lengths.search} characters long`,
  })

const viewName = z.string({ error: 'must be text' }).trim().pipe(name(lengths.name))

const savedView = z.object({
  saved_view_sid: z.string(),
  name: z.string(),
  search: z.record(z.string(), z.string()),
})
export type SavedView = z.infer<typeof savedView>

/** IDs of columns in their order. Null for the columns that a list shows by default. */
const columns = z
  .array(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, { error: 'must be the id of a column' }))
  .min(1, { error: 'must contain a column' })
  .max(lengths.columns, { error: `must contain at most ${lengths.columns} columns` })
  .refine((ids) => new Set(ids).size === ids.length, { error: 'must contain each column once' })
  .nullable()

const newSavedView = z.strictObject({ screen, name: viewName, search })
export type NewSavedView = z.output<typeof newSavedView>

const savedViewChange = z.strictObject({ name: viewName.optional(), search: search.optional() })
export type SavedViewChange = z.output<typeof savedViewChange>

const ownRead = { minScope: 'account', owner: 'self', usersOnly: true, errorCode: 'forbidden' } as const
/** Views are the user's own, so view-only users and users of suspended accounts may save some. */
const ownWrite = { ...ownRead, allowViewOnly: true, allowSuspended: true } as const

export const savedViewEndpoints = endpoints({
  'GET /patchbay/list-settings': {
    summary: 'Get the columns and the saved views of a list, as the signed-in user has chosen them; views by name',
    access: ownRead,
    query: z.object({ screen }),
    responses: { 200: z.object({ columns: z.array(z.string()).nullable(), views: z.array(savedView) }) },
  },
  'PUT /patchbay/list-columns': {
    summary: 'Choose the columns of a list for the signed-in user; null restores the default columns',
    access: ownWrite,
    body: z.strictObject({ screen, columns }),
    responses: { 204: null },
  },
  'POST /patchbay/saved-views': {
    summary: 'Save the search of a list under a name; names are unique per user and screen, up to 50 views per user',
    access: ownWrite,
    body: newSavedView,
    responses: { 201: created },
  },
  'PUT /patchbay/saved-views/:saved_view_sid': {
    summary: 'Rename a saved view of the signed-in user, or replace its search',
    access: ownWrite,
    body: savedViewChange,
    lenientSids: true,
    responses: { 204: null },
  },
  'DELETE /patchbay/saved-views/:saved_view_sid': {
    summary: 'Delete a saved view of the signed-in user',
    access: ownWrite,
    lenientSids: true,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const savedViewDescriptions: Descriptions = {
  columns: 'IDs of the columns in their order. Null for the default columns.',
  name: 'Name of the view, unique for a user and a screen.',
  screen: 'Screen of the console with the list.',
  search: 'Search parameters of the list, by name.',
  views: 'Saved views of the user, by name.',
}
