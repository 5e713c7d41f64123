import type { dataDeletionEndpoints } from '@patchbay/contract/data-deletions'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createDataDeletion, listDataDeletions } from './store.ts'

export const dataDeletionRoutes = ({ database, write }: Services): Handlers<keyof typeof dataDeletionEndpoints> => ({
  'GET /patchbay/Accounts/:account_sid/DataDeletions': async ({ params }) =>
    ok(await listDataDeletions(database, params.account_sid)),

  'POST /patchbay/Accounts/:account_sid/DataDeletions': async ({ actor, params, body }) => ({
    status: 202,
    body: await write(actor, (tx) => createDataDeletion(tx, params.account_sid, body.before ?? undefined)),
  }),
})
