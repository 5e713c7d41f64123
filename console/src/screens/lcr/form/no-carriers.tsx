import { useQuery } from '@tanstack/react-query'
import { carriersToChooseQuery } from '../../../api/record-queries.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { Banner } from '../../../ui/banner.tsx'

/** Returns why a routing cannot be saved if there are no carriers, or undefined if there are or while they load. */
export const useNoCarriers = (account_sid: string): string | undefined => {
  const { data } = useQuery(carriersToChooseQuery(useProviderSid(), account_sid, ''))
  if (data?.total !== 0) return undefined
  return account_sid === ''
    ? 'There are no available carriers'
    : 'There are no available carriers defined for this account'
}

export const NoCarriers = ({ reason }: { reason: string | undefined }) =>
  reason === undefined ? null : (
    <Banner tone="warn" title={reason}>
      Routes need a carrier. Add one first.
    </Banner>
  )
