import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import type { OwnerSid } from './record-queries.ts'
import { queryCallOptions } from './shared-queries.ts'

interface OfVendor {
  vendor: string
  /** The label of the credential that the lists are read with. Empty for the credential without a label. */
  label?: string
  /** Set to read the lists that the vendor returns without a credential. */
  anonymous?: true
}

const freshMs = 60_000

/**
 * Languages, voices, and models of a vendor.
 * @param asking the account of an account user, otherwise the current service provider
 */
export const speechListsQuery = (asking: OwnerSid, { vendor, label = '', anonymous }: OfVendor) =>
  queryOptions({
    queryKey: ['speech', 'lists', asking, vendor, label, anonymous],
    queryFn: (context) => {
      const query = { vendor, label: label || undefined, create_new: anonymous && 'true' }
      const { account_sid, service_provider_sid } = asking
      return account_sid === undefined
        ? api(
            'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/speech/supportedLanguagesAndVoices',
            { params: { service_provider_sid }, query },
            queryCallOptions(context),
          )
        : api(
            'GET /Accounts/:account_sid/SpeechCredentials/speech/supportedLanguagesAndVoices',
            { params: { account_sid }, query },
            queryCallOptions(context),
          )
    },
    staleTime: freshMs,
  })
