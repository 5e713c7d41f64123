import { throwInvalid } from '@patchbay/contract/api/errors'
import type { clientEndpoints } from '@patchbay/contract/clients'
import { readPhoneClientExpiry } from '@patchbay/contract/shared/phone-clients'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { changeClient, createClient, createClientStore, deleteClient } from './store.ts'

/** Rejects the names of phone clients, because Patchbay deletes those. */
const checkReservedName = ({ username }: { username?: string | undefined }): void => {
  if (readPhoneClientExpiry(username ?? null) !== undefined)
    throwInvalid('Names of this form are reserved for calls from the browser', 'username')
}

export const clientRoutes = ({ database, write, encryption }: Services): Handlers<keyof typeof clientEndpoints> => {
  const clients = createClientStore(database, encryption)
  return {
    'GET /Clients': async ({ actor }) => ok(await clients.list(actor)),

    'POST /Clients': ({ actor, body }) => {
      checkReservedName(body)
      return createdSid(write(actor, (tx) => createClient(tx, actor, body, encryption)))
    },

    'GET /Clients/:client_sid': ({ params }) => okOrNotFound(clients.read(params.client_sid)),

    'PUT /Clients/:client_sid': ({ actor, params, body }) => {
      checkReservedName(body)
      return write(actor, (tx) => changeClient(tx, actor, params.client_sid, body, encryption))
    },

    'DELETE /Clients/:client_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteClient(tx, actor, params.client_sid)),
  }
}
