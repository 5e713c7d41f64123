import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'
import { speechListsQuery } from '../../../api/speech-lists.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { requiredSession } from '../../../session/session.ts'
import { usualSpeech } from './speech-values.ts'

/** Queries for the speech settings of an application. */

const freshMs = 60_000

/** Returns whose speech services the lists of vendors are read with. */
export const useAsking = (): OwnerSid => {
  const service_provider_sid = useProviderSid()
  const { account_sid } = requiredSession().actor
  return account_sid === null ? { service_provider_sid } : { account_sid }
}

/** Reads the credentials that an account can use. */
export const usableCredentialsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['speech', 'usable', account_sid],
    queryFn: (context) =>
      api('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, queryCallOptions(context)),
    enabled: account_sid !== '',
    staleTime: freshMs,
  })

/** Reads the custom voices that belong to the credentials with a label. */
export const customVoicesQuery = (asking: OwnerSid, label: string) =>
  queryOptions({
    queryKey: ['speech', 'custom-voices', asking, label],
    queryFn: (context) =>
      api(
        'GET /GoogleCustomVoices',
        { query: { ...asking, label: label === '' ? undefined : label } },
        queryCallOptions(context),
      ),
    staleTime: freshMs,
  })

/** Returns the speech settings of a new application: the usual ones, until it is known which ones the account can use. */
export const useStartSpeech = (account_sid: string) => {
  const asking = useAsking()
  const { data = usualSpeech } = useQuery({
    queryKey: ['speech', 'start', asking, account_sid],
    queryFn: async () => {
      const [{ startSpeech }, credentials] = await Promise.all([
        import('./start-speech.ts'),
        queryClient.ensureQueryData(usableCredentialsQuery(account_sid)),
      ])
      const readLists = (vendor: string, label: string) =>
        queryClient.ensureQueryData(speechListsQuery(asking, { vendor, label }))
      return startSpeech({ account_sid, credentials, readLists })
    },
    // A form that asks for the account opens without one.
    enabled: account_sid !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
