import type { Call } from '@patchbay/contract/recent-calls'
import { formatParties } from '@patchbay/rules/calls/call-parties'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { oneCall } from '../../routes/recent-calls.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { LazyCall } from './call-details.lazy.ts'
import { CallMeta } from './call-meta.tsx'
import styles from './call-page.module.css'
import { callState } from './call-state.tsx'
import { callQuery } from './one-call-query.ts'

interface Params {
  account_sid: string
  call_sid: string
}

export const loader = ({ params: { account_sid, call_sid } }: { params: Params }): Promise<unknown> =>
  prefetchWithin(() => queryClient.ensureQueryData(callQuery(account_sid, call_sid)))

const Legs = ({ legs }: { legs: readonly Call[] }) => {
  const formatNumber = usePhoneNumberFormat()
  return legs.map((leg, position) => (
    <section
      key={`${leg.attempted_at} ${leg.sip_callid ?? position}`}
      aria-label={legs.length > 1 ? `Leg ${position + 1} of ${legs.length}` : 'The call'}
      className={styles['leg']}
    >
      {legs.length > 1 && (
        <h2 className={styles['leg-title']}>
          Leg {position + 1} of {legs.length}: {formatParties(leg, formatNumber)}
        </h2>
      )}
      <LazyCall call={leg} isOwnPage leg={position + 1} />
    </section>
  ))
}

/** Page of one call with all of its legs. */
export const CallPage = (): ReactNode => {
  const { account_sid, call_sid } = useScreenParams(oneCall)
  const formatNumber = usePhoneNumberFormat()
  const call = useQuery(callQuery(account_sid, call_sid))
  const legs = call.data
  const [first] = legs ?? []
  return (
    <>
      <ScreenHeader
        screen={oneCall}
        {...(first ? { title: formatParties(first, formatNumber), badge: callState(first) } : {})}
        meta={first && <CallMeta call={first} />}
      />
      {legs === undefined ? (
        <FormLoading queries={[call]} sections={2} />
      ) : first === undefined ? (
        <EmptyState
          title="There is no record of this call."
          hint="It may still be in progress, belong to another account, or be older than the retention period."
        />
      ) : (
        <div className={styles['page']}>
          <Legs legs={legs} />
        </div>
      )}
    </>
  )
}
