import type { appEnvEndpoints } from '@patchbay/contract/app-env'
import { refuse } from '@patchbay/contract/errors'
import { done, ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'
import { createHookAsker, createHookCount, readAppEnv } from './app-env.ts'

export const appEnvRoutes = ({ outgoing, rates, owners }: Services): Handlers<keyof typeof appEnvEndpoints> => {
  const askHook = createHookAsker(outgoing)
  const countHookAsked = createHookCount(rates, owners)
  return {
    'GET /AppEnv': async ({ actor, query: { url }, signal }) => {
      if (!(await countHookAsked(actor))) refuse('too_many_requests')
      const described = readAppEnv(await askHook(url, signal))
      return described === undefined ? done : ok(described)
    },
  }
}
