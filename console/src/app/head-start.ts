import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { providersQuery } from '../api/queries.ts'
import { currentProviderOf } from './provider-choice.ts'
import { queryClient } from './query-client.ts'

/** As long as the screen before stays while the next one reads; after that it comes with its skeleton. */
const waitMs = 150

/**
 * Reads for a screen while its code and its frame are still on the way, and holds the screen back for the moment that
 * an answer usually takes: it then shows complete, at once. What was read before is shown, and refreshed, by the screen
 * itself; so is what fails.
 */
export const headStart = async (reads: () => Promise<unknown>): Promise<void> => {
  const enough = new Promise((resolve) => {
    setTimeout(resolve, waitMs)
  })
  await Promise.race([reads().catch(() => {}), enough])
}

/** Reads what has not been read yet. */
export const readOnce = async <Data, Key extends QueryKey>(
  query: FetchQueryOptions<Data, Error, Data, Key>,
): Promise<Data | undefined> => {
  if (queryClient.getQueryData(query.queryKey) === undefined) await queryClient.prefetchQuery(query)
  return queryClient.getQueryData<Data>(query.queryKey)
}

/** The provider that the screen will work in, known from the last visit before the list of them is there. */
export const likelyProvider = async (): Promise<string> => {
  const own = requiredSession().actor.service_provider_sid
  const chosen = stored.activeServiceProvider.read()
  if (own ?? chosen) return own ?? chosen ?? ''
  const providers = await queryClient.ensureQueryData(providersQuery)
  return currentProviderOf(providers, null, null)?.service_provider_sid ?? ''
}
