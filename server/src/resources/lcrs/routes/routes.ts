import { type Action, can } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { lcrRouteEndpoints } from '@patchbay/contract/lcr-routes'
import type { Handlers } from '../../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../../http/responses.ts'
import type { Caller } from '../../../lib/caller.ts'
import type { Services } from '../../services.ts'
import { addLcrRoute, changeLcrRoute, createLcrRouteStore, removeLcrRoute } from './store.ts'

export const lcrRouteRoutes = ({ database, write, owners }: Services): Handlers<keyof typeof lcrRouteEndpoints> => {
  const routes = createLcrRouteStore(database)

  /** Returns the owner of a routing table. Callers without access cannot tell whether the table exists. */
  const readLcrOwner = async (actor: Caller, action: Action, lcr_sid: string) => {
    const owner = await owners.lcr(lcr_sid)
    return owner && can(actor, action, owner) ? owner : throwApiError('unknown_lcr', { field: 'lcr_sid' })
  }

  return {
    'GET /LcrRoutes': async ({ actor, query: { lcr_sid } }) => {
      if (actor.scope !== 'admin') await readLcrOwner(actor, 'read', lcr_sid)
      return ok(await routes.ofLcr(lcr_sid))
    },

    'POST /LcrRoutes': async ({ actor, body }) => {
      const owner = await readLcrOwner(actor, 'write', body.lcr_sid)
      return createdSid(write(actor, (tx) => addLcrRoute(tx, body, owner)))
    },

    'GET /LcrRoutes/:lcr_route_sid': ({ params }) => okOrNotFound(routes.read(params.lcr_route_sid)),

    'PUT /LcrRoutes/:lcr_route_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changeLcrRoute(tx, params.lcr_route_sid, body)),

    'DELETE /LcrRoutes/:lcr_route_sid': ({ actor, params }) =>
      write(actor, (tx) => removeLcrRoute(tx, params.lcr_route_sid)),
  }
}
