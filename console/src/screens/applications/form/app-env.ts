import type { AppEnv } from '@patchbay/contract/webhooks/app-env'
import { validateHookUrl } from '@patchbay/contract/webhooks/webhooks'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { ApplicationValues } from './application-form.ts'

/** What the webhooks of an application say of its environment variables. */

export type HookName = 'call_hook' | 'call_status_hook'

/** What was said is good while a form is filled in. */
const freshMs = 60_000

/** Null where the webhook says nothing. */
export const appEnvQuery = (url: string) =>
  queryOptions({
    queryKey: ['app-env', url],
    queryFn: async (context): Promise<AppEnv | null> =>
      (await api('GET /AppEnv', { query: { url } }, queryCallOptions(context))) ?? null,
    enabled: url !== '' && validateHookUrl(url) === undefined,
    staleTime: freshMs,
  })

/** What both have said by now; of one that both name, the calling webhook's word counts. */
export const describedNow = (values: Pick<ApplicationValues, HookName>): AppEnv => {
  const said = (hook: HookName) => queryClient.getQueryData(appEnvQuery(values[hook].url.trim()).queryKey)
  return { ...said('call_status_hook'), ...said('call_hook') }
}
