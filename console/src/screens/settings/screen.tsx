import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { apiKeysQuery, limitsQuery } from '../../api/record-queries.ts'
import { sbcsQuery } from '../../api/sbcs-query.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { useCurrentBulkChange } from '../../list/bulk/current-change.ts'
import { settings } from '../../routes/settings.ts'
import type { TabSearch } from '../../routes/tab-search-params.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { lazyExtra } from '../../ui/lazy-extra.tsx'
import { AdminTab } from './admin-tab.tsx'
import { ProviderTab } from './provider-tab.tsx'
import { hasPlatformKeys, passwordSettingsQuery, systemInformationQuery } from './queries.ts'

const providerTab = 'provider'

const isAdmin = (): boolean => requiredSession().actor.scope === 'admin'

const readProviderSbcs = async () => queryClient.ensureQueryData(sbcsQuery(await likelyProvider()))

const readAdmin = () =>
  Promise.all([
    queryClient.ensureQueryData(systemInformationQuery),
    queryClient.ensureQueryData(passwordSettingsQuery),
    queryClient.ensureQueryData(sbcsQuery('')),
    readProviderSbcs(),
    ...(hasPlatformKeys() ? [queryClient.ensureQueryData(apiKeysQuery('platform'))] : []),
  ])

const readProvider = async () => {
  const owner = { service_provider_sid: await likelyProvider() }
  return Promise.all([
    queryClient.ensureQueryData(limitsQuery(owner)),
    queryClient.ensureQueryData(apiKeysQuery(owner)),
  ])
}

export const loader = ({ search: { tab } }: { search: TabSearch }): Promise<unknown> =>
  prefetchWithin(isAdmin() && tab !== providerTab ? readAdmin : readProvider)

const BulkProgress = lazyExtra(async () => (await import('../../list/bulk/bulk-progress.tsx')).BulkProgress)

const nouns = ['service provider', 'service providers'] as const

/** The progress of the last deletion of a service provider with its contents. */
const ProviderDeletion = () => {
  const sid = useCurrentBulkChange('service_provider')
  return sid !== undefined && <BulkProgress key={sid} kind="service_provider" nouns={nouns} sid={sid} changes={[]} />
}

/** Platform settings for admins, and the settings of the current service provider. */
export const SettingsPage = (): ReactNode => {
  const { current } = useProviders()
  const provider = current && <ProviderTab key={current.service_provider_sid} provider={current} />
  return (
    <>
      <ScreenHeader
        screen={settings}
        description={
          isAdmin()
            ? 'Settings of the whole platform and of the current service provider.'
            : 'Settings of your service provider and all its accounts.'
        }
      />
      {isAdmin() && <ProviderDeletion />}
      {isAdmin() ? (
        <ScreenTabs
          screen={settings}
          label="Settings"
          tabs={[
            { id: 'admin', label: 'Admin', stays: true, content: <AdminTab /> },
            { id: providerTab, label: 'Service provider', stays: true, content: provider },
          ]}
        />
      ) : (
        provider
      )}
    </>
  )
}
