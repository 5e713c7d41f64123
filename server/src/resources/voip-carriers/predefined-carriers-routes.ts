import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { predefinedCarrierEndpoints } from '@patchbay/contract/predefined-carriers'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createFromTemplate, createPredefinedCarrierStore } from './predefined-carriers.ts'

export const predefinedCarrierRoutes = ({
  database,
  write,
  owners,
  configuration,
}: Services): Handlers<keyof typeof predefinedCarrierEndpoints> => {
  const templates = createPredefinedCarrierStore(database)

  const create = async (actor: Caller, predefined_carrier_sid: string, owner: Owner | undefined) => {
    assertCanChangeCarriers(configuration, actor)
    if (owner === undefined) return throwApiError('not_found')
    return createdSid(write(actor, (tx) => createFromTemplate(tx, predefined_carrier_sid, owner)))
  }

  return {
    'GET /PredefinedCarriers': async () => ok(await templates.list()),

    'POST /ServiceProviders/:service_provider_sid/PredefinedCarriers/:predefined_carrier_sid': async ({
      actor,
      params,
    }) => {
      const { service_provider_sid, predefined_carrier_sid } = params
      return create(actor, predefined_carrier_sid, { account_sid: null, service_provider_sid })
    },

    'POST /Accounts/:account_sid/PredefinedCarriers/:predefined_carrier_sid': async ({ actor, params }) => {
      const { account_sid, predefined_carrier_sid } = params
      const account = await owners.account(account_sid)
      return create(
        actor,
        predefined_carrier_sid,
        account && { account_sid, service_provider_sid: account.service_provider_sid },
      )
    },
  }
}
