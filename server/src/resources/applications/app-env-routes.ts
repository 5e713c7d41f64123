import { throwApiError } from '@patchbay/contract/api/errors'
import type { appEnvEndpoints } from '@patchbay/contract/app-env'
import type { Handlers } from '../../http/contract-router.ts'
import { noContent, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createAppEnvFetcher, createFetchCounter, readAppEnv } from './app-env.ts'

export const appEnvRoutes = ({ outgoing, rates, owners }: Services): Handlers<keyof typeof appEnvEndpoints> => {
  const fetchAppEnv = createAppEnvFetcher(outgoing)
  const countFetch = createFetchCounter(rates, owners)
  return {
    'GET /AppEnv': async ({ actor, query: { url }, signal }) => {
      if (!(await countFetch(actor))) throwApiError('too_many_requests')
      const appEnv = readAppEnv(await fetchAppEnv(url, signal))
      return appEnv === undefined ? noContent : ok(appEnv)
    },
  }
}
