import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/client.ts'
import { reading } from '../../../api/queries.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'

/** What the form reads of speech. */

const freshMs = 60_000

/** Those that an account may use. */
export const usableCredentialsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['speech', 'usable', account_sid],
    queryFn: (context) =>
      call('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, reading(context)),
    enabled: account_sid !== '',
    staleTime: freshMs,
  })

/** The voices that are kept with the credentials of that label. */
export const customVoicesQuery = (asking: OwnerSid, label: string) =>
  queryOptions({
    queryKey: ['speech', 'custom-voices', asking, label],
    queryFn: (context) =>
      call(
        'GET /GoogleCustomVoices',
        { query: { ...asking, label: label === '' ? undefined : label } },
        reading(context),
      ),
    staleTime: freshMs,
  })
