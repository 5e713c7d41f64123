import type { Call } from '@patchbay/contract/recent-calls'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { Sip, type ShownLeg } from '../../sections/sip/sip.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { legsQuery } from './legs-query.ts'

interface CallSipProps {
  call: Call
  sip_callid: string
}

/** What the record of a leg says of its ends. */
const namesOf = ({ host, remote_host, trunk }: Call): Record<string, string> => ({
  ...(remote_host && trunk ? { [remote_host]: trunk } : {}),
  ...(host ? { [host]: 'the platform' } : {}),
})

const wordsOf = ({ direction, from, to, trunk }: Call): string =>
  [`${from ?? 'unknown'} to ${to ?? 'unknown'}`, direction, trunk].filter(Boolean).join(', ')

const shownLeg = (leg: Call): ShownLeg => ({
  sip_callid: leg.sip_callid ?? '',
  description: wordsOf(leg),
  names: namesOf(leg),
})

/** From which a leg was made is told by its record, too where there is no record of that itself. */
const parentOf = ({ sip_parent_callid }: Call, legs: readonly Call[]): ShownLeg[] =>
  sip_parent_callid && !legs.some(({ sip_callid }) => sip_callid === sip_parent_callid)
    ? [{ sip_callid: sip_parent_callid, description: 'the call from which it was made', names: {} }]
    : []

/** The captured SIP of a call with all its legs as a ladder, or why there is none. */
export const CallSip = ({ call, sip_callid }: CallSipProps) => {
  const { account_sid } = call
  const query = useQuery(legsQuery(call, sip_callid))
  const legs = useMemo(
    () => [...parentOf(call, query.data ?? []), ...(query.data ?? [call]).map(shownLeg)],
    [call, query.data],
  )
  if (query.isPending) return <FormSkeleton sections={1} />
  const notice = query.error && (
    <Banner tone="warn" role="alert" title="The other legs of this call could not be looked for.">
      {errorMessage(query.error)}{' '}
      <Button size="small" busy={query.isFetching} onClick={() => void query.refetch()}>
        Look for them again
      </Button>
    </Banner>
  )
  return <Sip owner={{ account_sid }} sip_callid={sip_callid} legs={legs} what="call" notice={notice} />
}
