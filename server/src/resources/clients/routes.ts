import type { clientEndpoints } from '@patchbay/contract/clients'
import { throwApiError } from '@patchbay/contract/errors'
import { created, noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { changeClient, createClient, createClientStore, deleteClient } from './store.ts'

export const clientRoutes = ({ database, write, encryption }: Services): Handlers<keyof typeof clientEndpoints> => {
  const clients = createClientStore(database, encryption)
  return {
    'GET /Clients': async ({ actor }) => ok(await clients.list(actor)),

    'POST /Clients': async ({ actor, body }) =>
      created({ sid: await write(actor, (tx) => createClient(tx, actor, body, encryption)) }),

    'GET /Clients/:client_sid': async ({ params }) =>
      ok((await clients.read(params.client_sid)) ?? throwApiError('not_found')),

    'PUT /Clients/:client_sid': async ({ actor, params, body }) => {
      await write(actor, (tx) => changeClient(tx, actor, params.client_sid, body, encryption))
      return noContent
    },

    'DELETE /Clients/:client_sid': async ({ actor, params }) => {
      await write(actor, (tx) => deleteClient(tx, actor, params.client_sid))
      return noContent
    },
  }
}
