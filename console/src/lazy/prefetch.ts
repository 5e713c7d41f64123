import { queryClient } from '../api/query-client.ts'
import { providersQuery } from '../api/shared-queries.ts'
import { findCurrentProvider } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { waitWithLimit } from './wait-with-limit.ts'

/**
 * The previous screen stays this long while the next one reads its data. After that, the next one shows its skeleton.
 */
const waitMs = 150

/**
 * Starts the reads of a screen while its code is loading, and delays the screen for up to 150 ms, the usual time of a
 * response, so that it renders complete. Cached data is displayed and refreshed by the screen itself, as are errors.
 */
export const prefetchWithin = (reads: () => Promise<unknown>): Promise<void> => waitWithLimit(waitMs, reads())

/**
 * Returns the service provider in which the screen will probably work: the one of the last visit, or the first in the
 * list. Does not wait for the list if the last visit is known.
 */
export const likelyProvider = async (): Promise<string> => {
  const own = requiredSession().actor.service_provider_sid
  const chosen = stored.activeServiceProvider.read()
  if (own ?? chosen) return own ?? chosen ?? ''
  const providers = await queryClient.ensureQueryData(providersQuery)
  return findCurrentProvider(providers, null, null)?.service_provider_sid ?? ''
}
