import type { lcrEndpoints } from '@patchbay/contract/lcrs'
import { separateDefaultRoute } from '@patchbay/rules/routing/outbound'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { resolveLcrOwner } from './lcr-owner.ts'
import { lockLcr } from './lock-lcr.ts'
import { createLcrRouteStore } from './routes/store.ts'
import { saveRoutes } from './save-routes.ts'
import { changeLcr, changeWholeLcr, createLcr, createLcrStore, createWholeLcr, deleteLcr } from './store.ts'

export const lcrRoutes = ({ database, write }: Services): Handlers<keyof typeof lcrEndpoints> => {
  const lcrs = createLcrStore(database)
  const routes = createLcrRouteStore(database)

  const readWholeLcr = async (lcr_sid: string) => {
    const lcr = await lcrs.read(lcr_sid)
    if (lcr === undefined) return undefined
    const { defaultRoute: _route, ...whole } = separateDefaultRoute(lcr, await routes.ofLcr(lcr_sid))
    return { ...lcr, ...whole }
  }

  return {
    'GET /Lcrs': async ({ actor }) => ok(await lcrs.list(actor)),

    'POST /Lcrs': ({ actor, body }) =>
      createdSid(write(actor, async (tx) => createLcr(tx, body, await resolveLcrOwner(tx, actor, body, undefined)))),

    'GET /Lcrs/:lcr_sid': ({ params }) => okOrNotFound(lcrs.read(params.lcr_sid)),

    'PUT /Lcrs/:lcr_sid': async ({ actor, params, body }) => {
      await write(actor, async (tx) => {
        const current = await lockLcr(tx, params.lcr_sid)
        await changeLcr(tx, current, body, await resolveLcrOwner(tx, actor, body, current))
      })
    },

    'DELETE /Lcrs/:lcr_sid': ({ actor, params }) => write(actor, (tx) => deleteLcr(tx, params.lcr_sid)),

    'POST /Lcrs/:lcr_sid/Routes': ({ actor, params, body }) =>
      write(actor, async (tx) => saveRoutes(tx, await lockLcr(tx, params.lcr_sid), body, 'add')),

    'PUT /Lcrs/:lcr_sid/Routes': ({ actor, params, body }) =>
      write(actor, async (tx) => saveRoutes(tx, await lockLcr(tx, params.lcr_sid), body, 'change')),

    'POST /patchbay/lcrs': ({ actor, body }) =>
      createdSid(
        write(actor, async (tx) => createWholeLcr(tx, body, await resolveLcrOwner(tx, actor, body, undefined))),
      ),

    'GET /patchbay/lcrs/:lcr_sid': ({ params }) => okOrNotFound(readWholeLcr(params.lcr_sid)),

    'PUT /patchbay/lcrs/:lcr_sid': async ({ actor, params, body }) => {
      await write(actor, async (tx) => {
        const current = await lockLcr(tx, params.lcr_sid)
        await changeWholeLcr(tx, current, body, await resolveLcrOwner(tx, actor, body, current))
      })
    },
  }
}
