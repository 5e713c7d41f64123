import type { Call } from '@patchbay/contract/recent-calls'
import { findingsOf } from '@patchbay/contract/rules/sip-findings'
import { ladderOf } from '@patchbay/contract/rules/sip-ladder'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { failureText, requestIdOf } from '../../../api/failure.ts'
import { captureQuery } from '../queries.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormSkeleton } from '../../../ui/form-skeleton.tsx'
import { EmptyState, LoadFailed } from '../../../ui/list-state.tsx'
import { Ladder } from './ladder.tsx'

interface SipProps {
  call: Pick<Call, 'account_sid' | 'host' | 'remote_host' | 'trunk'>
  sip_callid: string
}

/** What the record of the call says of its ends. */
const namesOf = ({ host, remote_host, trunk }: SipProps['call']): Record<string, string> => ({
  ...(remote_host && trunk ? { [remote_host]: trunk } : {}),
  ...(host ? { [host]: 'the platform' } : {}),
})

/** The captured SIP of a call as a ladder, or why there is none. */
export const Sip = ({ call, sip_callid }: SipProps) => {
  const { account_sid, host, remote_host, trunk } = call
  const capture = useQuery(captureQuery(account_sid, sip_callid))
  const ladder = useMemo(
    () => capture.data && ladderOf(capture.data, namesOf({ account_sid, host, remote_host, trunk })),
    [capture.data, account_sid, host, remote_host, trunk],
  )
  const findings = useMemo(() => ladder && findingsOf(ladder), [ladder])
  const again = (
    <Button
      size="small"
      icon={<RefreshCw size={14} aria-hidden="true" />}
      busy={capture.isFetching}
      onClick={() => void capture.refetch()}
    >
      Look again
    </Button>
  )
  if (ladder === undefined || findings === undefined)
    return capture.error ? (
      <LoadFailed
        message={failureText(capture.error)}
        requestId={requestIdOf(capture.error)}
        onRetry={() => void capture.refetch()}
      />
    ) : (
      <FormSkeleton sections={1} />
    )
  if (ladder.arrows.length === 0)
    return (
      <EmptyState
        title="No SIP of this call was captured."
        hint="It passed nowhere where SIP is captured, was not kept so long, or is yet to come."
        action={again}
      />
    )
  return (
    <>
      {ladder.isCut && (
        <Banner tone="warn" title="This is not all of it.">
          The capture is longer than what is shown at once: only its beginning stands here, and what is said of it is of
          that alone.
        </Banner>
      )}
      <Ladder ladder={ladder} findings={findings} />
    </>
  )
}
