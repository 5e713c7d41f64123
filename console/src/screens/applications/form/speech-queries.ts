import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/queries.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'

/** What the form reads of speech. */

const freshMs = 60_000

/** Those that an account may use. */
export const usableCredentialsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['speech', 'usable', account_sid],
    queryFn: (context) =>
      api('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, queryCallOptions(context)),
    enabled: account_sid !== '',
    staleTime: freshMs,
  })

/** The voices that are kept with the credentials of that label. */
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
