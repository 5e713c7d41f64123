import type { applicationEndpoints } from '@patchbay/contract/applications'
import { refuse } from '@patchbay/contract/errors'
import { listPageOf } from '@patchbay/contract/list-pages'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'
import { createApplicationStore } from './store.ts'

export const applicationRoutes = ({
  database,
  lacks,
  encryption,
}: Services): Handlers<keyof typeof applicationEndpoints> => {
  const applications = createApplicationStore(database, lacks, encryption)
  return {
    'GET /Applications': async ({ actor, query }) =>
      ok(await applications.list(actor, { name: query.name }, listPageOf(query))),

    'GET /Accounts/:account_sid/Applications': async ({ actor, params: { account_sid }, query }) =>
      ok(await applications.list(actor, { account_sid, name: query.name }, listPageOf(query))),

    'GET /ServiceProviders/:service_provider_sid/Applications': async ({ actor, params: { service_provider_sid } }) =>
      ok(await applications.ofProvider(actor, service_provider_sid)),

    'GET /Applications/:application_sid': async ({ actor, params }) =>
      ok((await applications.read(actor, params.application_sid)) ?? refuse('not_found')),
  }
}
