import type { ModelField, Vendor } from '@patchbay/contract/speech/descriptor'
import type { SpeechChoice } from '@patchbay/contract/speech-credentials'
import { useQuery } from '@tanstack/react-query'
import { speechListsQuery } from '../../../api/speech-lists.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { ownPath } from '../queries.ts'

/**
 * Returns the models that a vendor offers to all customers: undefined while they load, and empty if they cannot be
 * listed.
 */
export const useModels = ({ vendor }: Vendor, { of }: ModelField): readonly SpeechChoice[] | undefined => {
  const lists = useQuery(speechListsQuery(ownPath(useProviderSid()), { vendor, anonymous: true }))
  return lists.isPending ? undefined : (lists.data?.[of] ?? [])
}
