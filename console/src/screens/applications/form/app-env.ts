import { validateHookUrl } from '@patchbay/contract/webhooks/webhooks'
import type { AppEnv } from '@patchbay/rules/webhooks/app-env'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'
import type { ApplicationValues } from './application-form.ts'

/** Reads the environment variables that the webhooks of an application declare. */

export type HookName = 'call_hook' | 'call_status_hook'

/** Declarations are reused while the user fills in the form. */
const freshMs = 60_000

/** Returns null if the webhook returned no description: it may be unreachable. */
export const appEnvQuery = (url: string) =>
  queryOptions({
    queryKey: ['app-env', url],
    queryFn: async (context): Promise<AppEnv | null> =>
      (await api('GET /AppEnv', { query: { url } }, queryCallOptions(context))) ?? null,
    enabled: url !== '' && validateHookUrl(url) === undefined,
    staleTime: freshMs,
  })

/** Returns the variables that both webhooks have declared so far. The calling webhook takes precedence. */
export const describedNow = (values: Pick<ApplicationValues, HookName>): AppEnv => {
  const getDeclared = (hook: HookName) => queryClient.getQueryData(appEnvQuery(values[hook].url.trim()).queryKey)
  return { ...getDeclared('call_status_hook'), ...getDeclared('call_hook') }
}
