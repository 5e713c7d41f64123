import { can } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { lcrCarrierSetEntryEndpoints } from '@patchbay/contract/lcr-carrier-set-entries'
import type { Handlers } from '../../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../../http/responses.ts'
import type { Services } from '../../services.ts'
import {
  addCarrierSetEntry,
  changeCarrierSetEntry,
  createCarrierSetEntryStore,
  removeCarrierSetEntry,
} from './store.ts'

export const carrierSetEntryRoutes = ({
  database,
  write,
  owners,
}: Services): Handlers<keyof typeof lcrCarrierSetEntryEndpoints> => {
  const entries = createCarrierSetEntryStore(database)
  return {
    'GET /LcrCarrierSetEntries': async ({ actor, query: { lcr_route_sid } }) => {
      const owner = await owners.lcr_route(lcr_route_sid)
      return ok(owner && can(actor, 'read', owner) ? await entries.ofRoute(lcr_route_sid) : [])
    },

    'POST /LcrCarrierSetEntries': async ({ actor, body }) => {
      const owner = await owners.lcr_route(body.lcr_route_sid)
      if (owner === undefined || !can(actor, 'write', owner))
        return throwInvalid('unknown lcr_route_sid', 'lcr_route_sid')
      return createdSid(write(actor, (tx) => addCarrierSetEntry(tx, body)))
    },

    'GET /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': ({ params }) =>
      okOrNotFound(entries.read(params.lcr_carrier_set_entry_sid)),

    'PUT /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changeCarrierSetEntry(tx, params.lcr_carrier_set_entry_sid, body)),

    'DELETE /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': ({ actor, params }) =>
      write(actor, (tx) => removeCarrierSetEntry(tx, params.lcr_carrier_set_entry_sid)),
  }
}
