import type { Actor } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { getContents } from '@patchbay/contract/api/record-tables'
import type { serviceProviderEndpoints } from '@patchbay/contract/service-providers'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { RecordOwner } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createReferenceCounter } from '../shared/references.ts'
import { rejectIfReferenced } from '../shared/reject-if-referenced.ts'
import { readUsedElsewhere } from '../shared/used-elsewhere.ts'
import { countOwned } from './count-owned.ts'
import { changeProvider, createProvider, deleteProvider, listProviders, readProvider } from './store.ts'

const toOwner = ({ service_provider_sid }: { service_provider_sid: string }): RecordOwner => ({
  kind: 'service_provider',
  sid: service_provider_sid,
})

export const serviceProviderRoutes = ({
  database,
  dns,
  missingSchema,
  write,
}: Services): Handlers<keyof typeof serviceProviderEndpoints> => {
  // Counts the records of the provider itself and its accounts, but not the records of its accounts.
  const readContents = createReferenceCounter(database.db, getContents('service_providers'))

  /**
   * Only admins may change the root domain if Patchbay manages DNS, because accounts can create names below it in the
   * operator's domains.
   */
  const checkRootDomain = async (actor: Actor, sid: string, requested: string | null | undefined): Promise<void> => {
    if (dns === null || actor.scope === 'admin' || requested === undefined) return
    const current = (await readProvider(database, actor, sid))?.root_domain
    if ((requested || null) !== (current ?? null))
      throwInvalid('root_domain may only be changed by admins', 'root_domain')
  }

  return {
    'GET /ServiceProviders': async ({ actor }) => ok(await listProviders(database, actor)),

    'POST /ServiceProviders': ({ actor, body }) => createdSid(write(actor, (tx) => createProvider(tx, body))),

    'GET /ServiceProviders/:service_provider_sid': ({ actor, params }) =>
      okOrNotFound(readProvider(database, actor, params.service_provider_sid)),

    'PUT /ServiceProviders/:service_provider_sid': async ({ actor, params, body }) => {
      await checkRootDomain(actor, params.service_provider_sid, body.root_domain)
      await write(actor, (tx) => changeProvider(tx, params.service_provider_sid, body))
    },

    'DELETE /ServiceProviders/:service_provider_sid': ({ actor, params }) =>
      write(actor, (tx) => rejectIfReferenced(() => deleteProvider(tx, params.service_provider_sid))),

    'GET /patchbay/service-providers/:service_provider_sid/contents': ({ params }) =>
      okOrNotFound(readContents(params.service_provider_sid)),

    'GET /patchbay/service-providers/:service_provider_sid/all-contents': async ({ params }) =>
      ok(await countOwned(database.reader, toOwner(params))),

    'GET /patchbay/service-providers/:service_provider_sid/used-elsewhere': async ({ params }) =>
      ok(await readUsedElsewhere(database.reader, toOwner(params), missingSchema)),
  }
}
