import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { providersQuery } from '../api/queries.ts'
import { waitAtMost } from './wait-at-most.ts'
import { findCurrentProvider } from '../session/current-provider.ts'
import { queryClient } from '../api/query-client.ts'

/** As long as the screen before stays while the next one reads; after that it comes with its skeleton. */
const waitMs = 150

/**
 * Reads for a screen while its code and its frame are still on the way, and holds the screen back for the moment that
 * an answer usually takes: it then shows complete, at once. What was read before is shown, and refreshed, by the screen
 * itself; so is what fails.
 */
export const prefetchWithin = (reads: () => Promise<unknown>): Promise<void> => waitAtMost(waitMs, reads())

/** The provider that the screen will work in, known from the last visit before the list of them is there. */
export const likelyProvider = async (): Promise<string> => {
  const own = requiredSession().actor.service_provider_sid
  const chosen = stored.activeServiceProvider.read()
  if (own ?? chosen) return own ?? chosen ?? ''
  const providers = await queryClient.ensureQueryData(providersQuery)
  return findCurrentProvider(providers, null, null)?.service_provider_sid ?? ''
}
