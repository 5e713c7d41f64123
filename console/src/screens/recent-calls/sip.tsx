import type { Call } from '@patchbay/contract/recent-calls'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { Sip, type ShownLeg } from '../../sections/sip/sip.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { type FormatNumber, usePhoneNumberFormat } from '../../ui/phone-number-format.ts'
import { legsQuery } from './legs-query.ts'
import { formatParties } from './call-facts.ts'

interface CallSipProps {
  call: Call
  sip_callid: string
}

/** Returns display names for the hosts in the record of a leg. */
const getHostNames = ({ host, remote_host, trunk }: Call): Record<string, string> => ({
  ...(remote_host && trunk ? { [remote_host]: trunk } : {}),
  ...(host ? { [host]: 'the platform' } : {}),
})

const toShownLeg = (leg: Call, formatNumber: FormatNumber): ShownLeg => ({
  sip_callid: leg.sip_callid ?? '',
  description: [formatParties(leg, formatNumber), leg.direction, leg.trunk].filter(Boolean).join(', '),
  names: getHostNames(leg),
})

/** Returns the parent leg if only its Call-ID is known because it has no record of its own. */
const getParentLeg = ({ sip_parent_callid }: Call, legs: readonly Call[]): ShownLeg[] =>
  sip_parent_callid && !legs.some(({ sip_callid }) => sip_callid === sip_parent_callid)
    ? [{ sip_callid: sip_parent_callid, description: 'the call from which it was made', names: {} }]
    : []

/** Shows the captured SIP messages of all legs of a call as a ladder diagram, or why there are none. */
export const CallSip = ({ call, sip_callid }: CallSipProps) => {
  const { account_sid } = call
  const query = useQuery(legsQuery(call, sip_callid))
  const formatNumber = usePhoneNumberFormat()
  const legs = useMemo(
    () => [
      ...getParentLeg(call, query.data ?? []),
      ...(query.data ?? [call]).map((leg) => toShownLeg(leg, formatNumber)),
    ],
    [call, query.data, formatNumber],
  )
  if (query.isPending) return <FormSkeleton sections={1} />
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
