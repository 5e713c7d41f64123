import type { accountTestEndpoints } from '@patchbay/contract/account-test'
import { throwApiError } from '@patchbay/contract/api/errors'
import { createOpenAccess } from '../../auth/open-access.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createTestResourcesReader } from './store.ts'

export const accountTestRoutes = (services: Services): Handlers<keyof typeof accountTestEndpoints> => {
  const { database, encryption, missingSchema, owners } = services
  const checkAccess = createOpenAccess(services)
  const readTestResources = createTestResourcesReader(database, missingSchema, encryption)
  return {
    'GET /AccountTest/:service_provider_sid': async (context) => {
      const { service_provider_sid } = context.params
      await checkAccess(context, { account_sid: null, service_provider_sid })
      if ((await owners.service_provider(service_provider_sid)) === undefined) throwApiError('not_found')
      return ok(await readTestResources(service_provider_sid))
    },
  }
}
