import { nameLegs, type ShownLeg, selectLegs } from '@patchbay/rules/sip/captured-legs'
import { toMultiLegLadder } from '@patchbay/rules/sip/ladder'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { Ladder } from './ladder.tsx'
import { Legs } from './legs.tsx'
import { capturesQuery, findingsCodeQuery } from './queries.ts'
import styles from './sip.module.css'

interface SipProps {
  /** The owner of the capture, if the caller knows it. */
  owner: OwnerSid
  /** The Call-ID of the displayed leg. */
  sip_callid: string
  /** oldest first */
  legs: readonly ShownLeg[]
  what: 'call' | 'registration'
  /** Shown above the ladder and the findings. */
  notice?: ReactNode
}

/** Explains by source why a capture is incomplete. The platform's Homer reports no reason. */
const parts = {
  beginning: 'only its newest part is shown',
  end: 'only its beginning is shown',
  somewhere: 'only a part of it is shown',
}

/** Shows captured SIP of all legs of a call in one ladder diagram, or why there is none. */
export const Sip = ({ owner, sip_callid, legs, what, notice }: SipProps) => {
  const [chosen, setChosen] = useState<string>()
  const drawn = useMemo(() => selectLegs(legs, sip_callid), [legs, sip_callid])
  const callids = useMemo(() => drawn.map((leg) => leg.sip_callid), [drawn])
  const captures = useQuery(capturesQuery(owner, callids, sip_callid))
  const { data } = captures
  const findingsCode = useQuery(findingsCodeQuery)
  const named = useMemo(() => nameLegs(drawn, data), [drawn, data])
  const displayed = useMemo(() => {
    const only = named.filter((leg) => leg.sip_callid === chosen)
    return only.length > 0 ? only : named
  }, [named, chosen])
  const ladder = useMemo(() => toMultiLegLadder(displayed), [displayed])
  const findings = useMemo(() => findingsCode.data?.find(ladder), [findingsCode.data, ladder])
  const again = (
    <Button
      size="small"
      icon={<RefreshCw size={14} aria-hidden="true" />}
      busy={captures.isFetching}
      onClick={() => void captures.refetch()}
    >
      Check again
    </Button>
  )
  if (data === undefined || findings === undefined) return <FormLoading queries={[captures, findingsCode]} />
  if (ladder.arrows.length === 0)
    return (
      <>
        {notice}
        <EmptyState
          title={`No SIP of this ${what} was captured.`}
          hint={`It did not pass a capture point, is older than the retention period, or has not arrived yet. If no ${what} has captured SIP, let a HEP agent on the SBC send it to Patchbay (INTAKE_HEP), or set HOMER_BASE_URL.`}
          action={again}
        />
      </>
    )
  const failed = data.find(({ error }) => error !== undefined)?.error
  return (
    <div className={styles['sip']}>
      {notice}
      {failed !== undefined && (
        <Banner tone="warn" role="alert" title="The SIP of another leg could not be loaded.">
          {errorMessage(failed)} {again}
        </Banner>
      )}
      {ladder.isCut && (
        <Banner tone="warn" title="The capture is incomplete.">
          The capture is too long to be shown completely: {parts[ladder.cutAt ?? 'somewhere']}. The findings cover only
          this part.
        </Banner>
      )}
      {legs.length > 1 && (
        <Legs legs={named} own={sip_callid} missing={legs.length - named.length} chosen={chosen} onChoose={setChosen} />
      )}
      <Ladder key={chosen ?? 'all'} ladder={ladder} findings={findings} />
    </div>
  )
}
