import type { AllProviderContents, ServiceProvider } from '@patchbay/contract/service-providers'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { nonZeroCounts, type RecordTable } from '../../record/record-counts.ts'
import { accountList } from '../../routes/accounts.ts'
import { apiKeyList } from '../../routes/api-keys.ts'
import { carrierList } from '../../routes/carriers.ts'
import { clientList } from '../../routes/clients.ts'
import { routingList } from '../../routes/lcr.ts'
import { teamsTenantList } from '../../routes/ms-teams-tenants.ts'
import { phoneNumberList } from '../../routes/phone-numbers.ts'
import { ListLink, type ListTarget } from '../../screen/list-link.tsx'
import { DeleteWithContents } from '../../sections/delete-with-contents/delete-with-contents.tsx'
import { stored } from '../../session/storage.ts'
import { countText } from '../../ui/format/text.ts'

// The dialog shows current data.
const uncached = { staleTime: 0, gcTime: 0 } as const

const contentsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['all-provider-contents', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/service-providers/:service_provider_sid/all-contents',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    ...uncached,
  })

const usedElsewhereQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['provider-used-elsewhere', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/service-providers/:service_provider_sid/used-elsewhere',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    ...uncached,
  })

/** The lists of exactly the records of the current provider and all its accounts. The other lists show one account, or more. */
const lists: Partial<Record<RecordTable, ListTarget>> = {
  accounts: { to: accountList },
  phone_numbers: { to: phoneNumberList },
  voip_carriers: { to: carrierList },
  lcrs: { to: routingList },
  ms_teams_tenants: { to: teamsTenantList },
  clients: { to: clientList },
}

const getList = (table: RecordTable): ListTarget | undefined =>
  table === 'api_keys' && config().extensions.has('api-keys') ? { to: apiKeyList } : lists[table]

/** Settings of accounts and of the provider are named without their number. */
const toCounts = ({
  account_limits: _accountLimits,
  service_provider_limits: _providerLimits,
  account_subscriptions: _subscriptions,
  account_offers: _offers,
  account_static_ips: _addresses,
  dns_records: _dns,
  ...counts
}: AllProviderContents) => nonZeroCounts(counts)

const otherContents = [
  'Alert destinations, SMPP addresses, masking rules, review settings, limits, subscriptions, DNS records, and links to shared calls',
  'Call data, and recordings that Patchbay stores, some time after each account',
]
const keptRecords = [
  'Recordings in storages of accounts, and call data in other systems of the platform',
  'Records of other service providers and of the platform',
]

interface DeleteProviderWithContentsProps {
  provider: ServiceProvider
  onClose: () => void
  /** Runs when the deletion has started. The settings show its progress. */
  onStarted: () => void
}

/** Dialog that deletes a service provider with its accounts and their contents in the background. */
export const DeleteProviderWithContents = ({ provider, onClose, onStarted }: DeleteProviderWithContentsProps) => {
  const { service_provider_sid, name } = provider
  const contents = useQuery(contentsQuery(service_provider_sid))
  const used = useQuery(usedElsewhereQuery(service_provider_sid))
  const leave = () => {
    // The lists would show the account that was chosen last.
    stored.accountFilter.clear()
    onClose()
  }
  const counts = (contents.data === undefined ? [] : toCounts(contents.data)).map(({ table, count, names }) => ({
    table,
    count: (
      <ListLink list={getList(table)} onClick={leave}>
        {countText(count, count, names)}
      </ListLink>
    ),
  }))
  return (
    <DeleteWithContents
      kind="service_provider"
      sid={service_provider_sid}
      name={name}
      callOwner={{ service_provider_sid }}
      contents={contents}
      used={used}
      counts={counts}
      otherContents={otherContents}
      keptRecords={keptRecords}
      onClose={onClose}
      onStarted={onStarted}
    />
  )
}
