import type { savedViewEndpoints } from '@patchbay/contract/saved-views'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { changeSavedView, chooseColumns, createSavedView, deleteSavedView, readListSettings } from './store.ts'

export const savedViewRoutes = ({ database, write }: Services): Handlers<keyof typeof savedViewEndpoints> => ({
  'GET /patchbay/list-settings': async ({ actor, query: { screen } }) =>
    ok(await readListSettings(database, actor, screen)),

  'PUT /patchbay/list-columns': ({ actor, body }) => write(actor, (tx) => chooseColumns(tx, actor, body)),

  'POST /patchbay/saved-views': ({ actor, body }) => createdSid(write(actor, (tx) => createSavedView(tx, actor, body))),

  'PUT /patchbay/saved-views/:saved_view_sid': ({ actor, params, body }) =>
    write(actor, (tx) => changeSavedView(tx, actor, params.saved_view_sid, body)),

  'DELETE /patchbay/saved-views/:saved_view_sid': ({ actor, params }) =>
    write(actor, (tx) => deleteSavedView(tx, actor, params.saved_view_sid)),
})
