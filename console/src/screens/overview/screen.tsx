import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { overview } from '../../routes/overview.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { overviewQuery } from '../../sections/setup/overview-query.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { AttentionSection } from './attention-section.tsx'
import { CallsSection } from './calls-section.tsx'
import { failuresTableQuery } from './failures-table.lazy.ts'
import styles from './overview.module.css'
import { SetupSection } from './setup-section.tsx'

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid } = requiredSession().actor
    const owner = account_sid ? { account_sid } : { service_provider_sid: await likelyProvider() }
    return Promise.all([
      queryClient.ensureQueryData(overviewQuery(owner)),
      queryClient.ensureQueryData(failuresTableQuery),
    ])
  })

/** Shows the calls of today, problems to solve, and, until users can make calls, the steps to a first call. */
export const OverviewPage = (): ReactNode => {
  const { account_sid } = requiredSession().actor
  const service_provider_sid = useProviderSid()
  const owner: OwnerSid = account_sid ? { account_sid } : { service_provider_sid }
  const query = useQuery(overviewQuery(owner))
  const { data } = query
  return (
    <>
      <ScreenHeader screen={overview} description="Calls of today, problems to solve, and the steps to a first call." />
      {data === undefined ? (
        <FormLoading queries={[query]} sections={3} />
      ) : (
        <>
          {!data.setup.is_ready && <SetupSection setup={data.setup} />}
          <div className={styles['columns']}>
            <CallsSection liveCalls={data.live_calls} callData={data.call_data} />
            <AttentionSection attention={data.attention} />
          </div>
        </>
      )}
    </>
  )
}
