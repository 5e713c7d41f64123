import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { platformAddressEndpoints } from '@patchbay/contract/platform-addresses'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { addSbc, addSmpp, createPlatformAddressStore, removeSbc, removeSmpp } from './store.ts'

export const platformAddressRoutes = ({
  database,
  missingSchema,
  write,
}: Services): Handlers<keyof typeof platformAddressEndpoints> => {
  const addresses = createPlatformAddressStore(database, missingSchema)

  const resolveProvider = ({ scope, service_provider_sid }: Actor, requested = ''): string | null =>
    scope === 'admin' ? requested || null : service_provider_sid

  return {
    'GET /Sbcs': async ({ actor, query }) =>
      ok(await addresses.sbcs(resolveProvider(actor, query.service_provider_sid))),

    'POST /Sbcs': ({ actor, body }) => createdSid(write(actor, (tx) => addSbc(tx, body))),

    'DELETE /Sbcs/:sbc_address_sid': ({ actor, params }) => write(actor, (tx) => removeSbc(tx, params.sbc_address_sid)),

    // Only callers of a provider may request its own addresses. Without the query parameter, the shared ones are
    // returned.
    'GET /Smpps': async ({ actor, query: { service_provider_sid } }) =>
      ok(await addresses.smpps(service_provider_sid ? resolveProvider(actor, service_provider_sid) : null)),

    'POST /Smpps': async ({ actor, body }) => {
      if (missingSchema.has('smpp_addresses'))
        return throwApiError('invalid', { msg: 'the platform has no SMPP addresses' })
      return createdSid(write(actor, (tx) => addSmpp(tx, body)))
    },

    'DELETE /Smpps/:smpp_address_sid': ({ actor, params }) =>
      write(actor, (tx) => removeSmpp(tx, params.smpp_address_sid)),
  }
}
