import type { ComponentGroup, SystemComponent, SystemStatus } from '@patchbay/contract/system-status'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { systemStatus } from '../../routes/system-status.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { Banner } from '../../ui/banner.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { ListBar } from '../../ui/table/list-bar.tsx'
import { Component, needsAttention } from './component.tsx'
import { systemStatusQuery } from './queries.ts'
import styles from './system-status.module.css'

const groups: readonly (readonly [id: ComponentGroup, title: string])[] = [
  ['storage', 'Database and Redis'],
  ['call_servers', 'Call servers'],
  ['call_data', 'Call data'],
  ['services', 'External services'],
]

export const loader = (): Promise<unknown> => prefetchWithin(() => queryClient.ensureQueryData(systemStatusQuery))

/** Names the components that need attention, with links to them. */
const Summary = ({ components }: { components: readonly SystemComponent[] }) => {
  const urgent = components.filter(needsAttention)
  const failing = urgent.filter(({ state }) => state === 'failing').length
  if (urgent.length === 0)
    return <Banner title="No problems found">All components that Patchbay can check respond.</Banner>
  return (
    <Banner
      tone={failing > 0 ? 'bad' : 'warn'}
      title={
        failing > 0
          ? countText(failing, failing, ['component is failing', 'components are failing'])
          : countText(urgent.length, urgent.length, ['component has a warning', 'components have warnings'])
      }
    >
      <ul className={styles['urgentNames']} aria-label="Components that need attention">
        {urgent.map(({ id, name }) => (
          <li key={id}>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
    </Banner>
  )
}

const Calls = ({ calls }: { calls: NonNullable<SystemStatus['calls']> }) => (
  <p className={styles['muted']}>
    Calls in progress: {formatCount(calls.inbound)} inbound, {formatCount(calls.outbound)} outbound
  </p>
)

const Status = ({ status: { calls, components } }: { status: SystemStatus }) => (
  <div className={styles['page']}>
    <Summary components={components} />
    {groups.map(([group, title]) => (
      <section key={group} aria-label={title}>
        <div className={styles['title']}>
          <h2>{title}</h2>
          {group === 'call_servers' && calls !== null && <Calls calls={calls} />}
        </div>
        <ul className={styles['components']}>
          {components
            .filter((component) => component.group === group)
            .map((component) => (
              <Component key={component.id} component={component} />
            ))}
        </ul>
      </section>
    ))}
  </div>
)

/** Shows administrators which part of the platform prevents that calls or their data arrive. */
export const SystemStatusPage = (): ReactNode => {
  const query = useQuery(systemStatusQuery)
  const { data, dataUpdatedAt, isFetching, refetch } = query
  return (
    <>
      <ScreenHeader
        screen={systemStatus}
        description="Find out why calls or their data do not arrive. Refreshes every 30 seconds."
        actions={
          data && (
            <ListBar
              count={countText(data.components.length, data.components.length, ['component', 'components'])}
              updatedAt={dataUpdatedAt}
              isRefreshing={isFetching}
              onRefresh={() => void refetch()}
            >
              <ExportMenu endpoint="GET /patchbay/system-status" input={{}} rows={() => [data]} />
            </ListBar>
          )
        }
      />
      {data === undefined ? (
        <FormLoading queries={[query]} sections={4} />
      ) : (
        <>
          <RefetchErrorBanner query={query} onRetry={() => void refetch()} />
          <Status status={data} />
        </>
      )}
    </>
  )
}
