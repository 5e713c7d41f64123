import type { clientEndpoints } from '@patchbay/contract/clients'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { changeClient, createClient, createClientStore, deleteClient } from './store.ts'

export const clientRoutes = ({ database, write, encryption }: Services): Handlers<keyof typeof clientEndpoints> => {
  const clients = createClientStore(database, encryption)
  return {
    'GET /Clients': async ({ actor }) => ok(await clients.list(actor)),

    'POST /Clients': ({ actor, body }) => createdSid(write(actor, (tx) => createClient(tx, actor, body, encryption))),

    'GET /Clients/:client_sid': ({ params }) => okOrNotFound(clients.read(params.client_sid)),

    'PUT /Clients/:client_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changeClient(tx, actor, params.client_sid, body, encryption)),

    'DELETE /Clients/:client_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteClient(tx, actor, params.client_sid)),
  }
}
