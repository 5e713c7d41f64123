import type { Call } from '@patchbay/contract/recent-calls'
import { toShownLegs } from '@patchbay/rules/sip/captured-legs'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { Sip } from '../../sections/sip/sip.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/fields/form-skeleton.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { legsQuery } from './call-detail-queries.ts'

interface CallSipProps {
  call: Call
  sip_callid: string
}

/** Shows the captured SIP messages of all legs of a call as a ladder diagram, or why there are none. */
export const CallSip = ({ call, sip_callid }: CallSipProps) => {
  const { account_sid } = call
  const query = useQuery(legsQuery(call, sip_callid))
  const formatNumber = usePhoneNumberFormat()
  const legs = useMemo(() => toShownLegs(call, query.data, formatNumber), [call, query.data, formatNumber])
  if (query.isPending) return <FormSkeleton />
  const notice = query.error && (
    <Banner tone="warn" role="alert" title="The other legs of this call could not be loaded.">
      {errorMessage(query.error)}{' '}
      <Button size="small" busy={query.isFetching} onClick={() => void query.refetch()}>
        Load them again
      </Button>
    </Banner>
  )
  return <Sip owner={{ account_sid }} sip_callid={sip_callid} legs={legs} what="call" notice={notice} />
}
