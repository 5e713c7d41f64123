import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** Queries for the speech settings of an application. */

const freshMs = 60_000

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
