import type { appEnvEndpoints } from '@patchbay/contract/app-env'
import { throwApiError } from '@patchbay/contract/errors'
import { noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { createHookAsker, createHookCount, readAppEnv } from './app-env.ts'

export const appEnvRoutes = ({ outgoing, rates, owners }: Services): Handlers<keyof typeof appEnvEndpoints> => {
  const askHook = createHookAsker(outgoing)
  const countHookAsked = createHookCount(rates, owners)
  return {
    'GET /AppEnv': async ({ actor, query: { url }, signal }) => {
      if (!(await countHookAsked(actor))) throwApiError('too_many_requests')
      const described = readAppEnv(await askHook(url, signal))
      return described === undefined ? noContent : ok(described)
    },
  }
}
