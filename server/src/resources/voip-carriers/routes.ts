import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { toOptionalListPage } from '@patchbay/contract/api/list-pages'
import type { VoipCarrierChange, voipCarrierEndpoints } from '@patchbay/contract/voip-carriers'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createProblemReader } from '../shared/attention-records.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import {
  changeVoipCarrier,
  createVoipCarrier,
  createVoipCarrierStore,
  deleteVoipCarrier,
  lockCarrier,
} from './store.ts'

export const voipCarrierRoutes = ({
  database,
  missingSchema,
  write,
  owners,
  configuration,
  captures,
}: Services): Handlers<keyof typeof voipCarrierEndpoints> => {
  const carriers = createVoipCarrierStore(database, missingSchema)
  const readProblem = createProblemReader({ database, captures })

  /** Changes a carrier. `isOurs` checks the owner if the path alone does not. */
  const change = async (
    actor: Caller,
    voip_carrier_sid: string,
    changes: VoipCarrierChange,
    hasPathOwner?: (owner: Owner) => boolean,
  ) => {
    assertCanChangeCarriers(configuration, actor)
    if (hasPathOwner) {
      const owner = await owners.voip_carrier(voip_carrier_sid)
      if (owner === undefined || !hasPathOwner(owner))
        throwApiError(actor.scope === 'admin' ? 'not_found' : 'carrier_not_owned')
    }
    await write(actor, async (tx) => {
      const current = await lockCarrier(tx, actor, voip_carrier_sid)
      await changeVoipCarrier(tx, current, changes, await resolveOwner(tx.trx, actor, changes, current))
    })
  }

  return {
    'GET /VoipCarriers': async ({ actor, query: { account_sid, name, ...page } }) =>
      ok(await carriers.list(actor, { account_sid, name }, toOptionalListPage(page))),

    'GET /ServiceProviders/:service_provider_sid/VoipCarriers': async ({ actor, params, query }) => {
      const { account_sid, name, attention, owned, ...page } = query
      const search = { ...params, account_sid, owned, name }
      if (attention === undefined) return ok(await carriers.list(actor, search, toOptionalListPage(page)))
      const sids = await readProblem(attention, actor, params.service_provider_sid)
      return ok(await carriers.listSome(sids, search, toOptionalListPage(page)))
    },

    'GET /Accounts/:account_sid/VoipCarriers': async ({ params: { account_sid } }) =>
      ok(await carriers.ofAccount(account_sid)),

    'POST /VoipCarriers': async ({ actor, body }) => {
      assertCanChangeCarriers(configuration, actor)
      const sid = await write(actor, async (tx) => {
        await checkCreateLimit(tx, configuration, actor, 'voip_carriers')
        return createVoipCarrier(tx, body, await resolveOwner(tx.trx, actor, body))
      })
      return created({ sid })
    },

    'POST /ServiceProviders/:service_provider_sid/VoipCarriers': async ({ actor, params, body }) => {
      const carrierInput = { ...body, ...params }
      return createdSid(
        write(actor, async (tx) => createVoipCarrier(tx, body, await resolveOwner(tx.trx, actor, carrierInput))),
      )
    },

    'POST /Accounts/:account_sid/VoipCarriers': async ({ actor, params, body }) => {
      assertCanChangeCarriers(configuration, actor)
      return createdSid(
        write(actor, async (tx) => createVoipCarrier(tx, body, await resolveOwner(tx.trx, actor, params))),
      )
    },

    'GET /VoipCarriers/:voip_carrier_sid': ({ params }) => okOrNotFound(carriers.read(params.voip_carrier_sid)),

    'PUT /VoipCarriers/:voip_carrier_sid': ({ actor, params, body }) => change(actor, params.voip_carrier_sid, body),

    'PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid': ({ actor, params, body }) =>
      change(
        actor,
        params.voip_carrier_sid,
        { ...body, service_provider_sid: params.service_provider_sid },
        ({ service_provider_sid }) => service_provider_sid === params.service_provider_sid,
      ),

    'PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid': ({ actor, params, body }) =>
      change(
        actor,
        params.voip_carrier_sid,
        { ...body, account_sid: params.account_sid },
        ({ account_sid }) => account_sid === params.account_sid,
      ),

    'DELETE /VoipCarriers/:voip_carrier_sid': async ({ actor, params: { voip_carrier_sid } }) => {
      assertCanChangeCarriers(configuration, actor)
      await write(actor, (tx) => deleteVoipCarrier(tx, actor, voip_carrier_sid))
    },
  }
}
