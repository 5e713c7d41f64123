import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { vendorName } from '@patchbay/rules/speech/names'
import { useQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { useErrorToast } from '../../feedback/use-action.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountListFilter, likelyAccount } from '../../list/account-filter.tsx'
import { AttentionFilter } from '../../list/attention-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { LinkToRecord } from '../../list/link-to-record.tsx'
import { RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { type AttentionSearch, clearingAccount } from '../../routes/account-search-params.ts'
import { addSpeech, speechList } from '../../routes/speech-services.ts'
import { useScreenSearch } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Nouns } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import { DeleteService } from './delete-service.lazy.ts'
import { ownPath, type SpeechAttention, serviceLink, speechQuery } from './queries.ts'
import { canOpenService, serviceName, usageText } from './service.ts'
import { ServiceState, stateText } from './service-state.tsx'
import { healthOfService, isUntried, type ServiceHealth, useTests } from './test-status.ts'

type Row = SpeechCredential & { state: ServiceHealth; owner: string | null }

const columns: readonly SortableColumn<Row>[] = [
  {
    id: 'vendor',
    header: 'Vendor',
    share: 12,
    cell: (service) => {
      const name = <bdi>{vendorName(service.vendor)}</bdi>
      if (!canOpenService(service)) return name
      return (
        <LinkToRecord link={serviceLink} row={service}>
          {name}
        </LinkToRecord>
      )
    },
    sortBy: serviceName,
  },
  {
    id: 'label',
    header: 'Label',
    share: 10,
    card: 'detail',
    cell: ({ label }) => label && <bdi>{label}</bdi>,
    sortBy: (row) => row.label,
  },
  {
    id: 'account',
    header: 'Used by',
    share: 12,
    priority: 3,
    card: 'end',
    cell: ({ owner }) => owner && <bdi>{owner}</bdi>,
    sortBy: ({ owner }) => owner,
  },
  { id: 'usage', header: 'Usage', share: 7, nowrap: true, priority: 4, cell: usageText, sortBy: usageText },
  {
    id: 'state',
    header: 'Status',
    share: 11,
    nowrap: true,
    card: 'state',
    cell: ({ state }) => <ServiceState state={state} />,
    sortBy: ({ state }) => stateText(state),
  },
  {
    id: 'tested',
    header: 'Last tested',
    share: 9,
    nowrap: true,
    priority: 4,
    cell: ({ last_tested }) => (last_tested === null ? 'Never' : <RelativeTime iso={last_tested} />),
    sortBy: ({ last_tested }) => last_tested,
  },
]

const nouns: Nouns = ['speech service', 'speech services']

const getSearchableValues = ({ vendor, label, owner }: Row) => [vendorName(vendor), label, owner]

type Search = AttentionSearch<SpeechAttention>

const filters = { keep: () => true, unfiltered: { account: undefined, attention: undefined } }

/**
 * Returns the owner of the listed services: the selected account, or otherwise the caller's account or provider. Services
 * with a problem are those of the provider and all its accounts.
 */
const toOwner = (service_provider_sid: string, { account, attention }: Search): OwnerSid => {
  if (attention !== undefined) return { service_provider_sid }
  return account === undefined ? ownPath(service_provider_sid) : { account_sid: account }
}

export const loader = ({ search }: { search: Search }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { attention } = search
    const { account_sid: account, accounts } = likelyAccount(search.account)
    const services = async () =>
      queryClient.ensureQueryData(
        speechQuery(
          toOwner(await likelyProvider(), { ...(account ? { account } : {}), ...(attention ? { attention } : {}) }),
          attention,
        ),
      )
    await Promise.all([accounts, services()])
  })

/** Returns the listed services with their owner and the result of their last test. */
const useRows = (search: Search, service_provider_sid: string, chooses: boolean) => {
  const { account, attention } = search
  const services = useQuery(speechQuery(toOwner(service_provider_sid, search), attention))
  const accounts = useQuery({ ...accountsQuery(service_provider_sid), enabled: chooses }).data
  const tests = useTests(ownPath(service_provider_sid))
  const { data } = services
  const { outcomes } = tests
  const rows = useMemo(() => {
    const names = new Map(accounts?.map(({ account_sid, name }) => [account_sid, name]))
    const ownerText = (account_sid: string | null): string | null => {
      if (account_sid === null) return 'All accounts'
      return chooses ? (names.get(account_sid) ?? null) : 'This account'
    }
    return data
      ?.filter(
        ({ account_sid }) =>
          !chooses || account_sid === (account ?? null) || (attention !== undefined && account === undefined),
      )
      .map((service) => ({
        ...service,
        owner: ownerText(service.account_sid),
        state: healthOfService(service, outcomes.get(service.speech_credential_sid)),
      }))
  }, [data, accounts, chooses, account, attention, outcomes])
  return { query: { ...services, data: rows }, tests }
}

/** Lists the speech services of a service provider, or of one of its accounts. */
export const SpeechServicesPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const chooses = actor.scope !== 'account'
  const { account, attention } = useScreenSearch(speechList)
  const search = { ...(chooses && account ? { account } : {}), ...(attention ? { attention } : {}) }
  const owner = toOwner(service_provider_sid, search)
  const { query, tests } = useRows(search, service_provider_sid, chooses)
  useErrorToast(query.error)
  const list = useClientList({
    screen: speechList,
    query,
    question: JSON.stringify([service_provider_sid, chooses ? account : '', attention]),
    columns,
    order: 'vendor',
    rowKey: serviceLink.rowKey,
    searchValues: getSearchableValues,
    filters,
  })
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'speech_credential',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: serviceLink,
    changes: [['speech']],
  })
  const { test, outcomes } = tests

  const untried = query.data?.filter(isUntried)
  useEffect(() => {
    if (untried?.length) test(untried)
  })

  const rowAction = useCallback(
    (row: Row) => (
      <IconButton
        label={`Test ${serviceName(row)}`}
        disabledReason={row.state.health === 'testing' ? 'Test in progress.' : undefined}
        onClick={() => test([row])}
      >
        <Activity size={15} aria-hidden="true" />
      </IconButton>
    ),
    [test],
  )

  const visibleRows = list.view.rows ?? []
  const remainingCount = visibleRows.filter(
    ({ speech_credential_sid }) => outcomes.get(speech_credential_sid) === 'testing',
  ).length

  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={speechList}
        description="Vendors for speech synthesis (TTS) and speech recognition (STT)."
        nouns={nouns}
        view={clearingAccount(list.view)}
        action={
          <>
            {visibleRows.length > 0 && (
              <Button
                icon={<Activity size={14} aria-hidden="true" />}
                disabledReason={tests.isTesting ? 'Tests in progress.' : undefined}
                onClick={() => test(visibleRows)}
              >
                {remainingCount > 0 ? `Testing, ${remainingCount} left` : 'Test all'}
              </Button>
            )}
          </>
        }
        search={{ label: 'Filter speech services', ...list.filter }}
        filters={
          <>
            {chooses && <AccountListFilter label="Used by" address={list.address} />}
            <AttentionFilter kind={attention} onRemove={() => list.address.change({ attention: undefined })} />
          </>
        }
        more={
          <ExportMenu
            endpoint={
              owner.account_sid === undefined
                ? 'GET /ServiceProviders/:service_provider_sid/SpeechCredentials'
                : 'GET /Accounts/:account_sid/SpeechCredentials'
            }
            // An account has no filter by problem (toOwner).
            input={{ params: owner, query: { attention } }}
            rows={() => visibleRows}
            table="speech-services"
          />
        }
        add={{ to: addSpeech, label: 'Add speech service', denied: viewOnly }}
        row={serviceLink}
        rowAction={rowAction}
        deletionDenied={viewOnly}
        renderDeletion={(service, onClose) => <DeleteService service={service} onClose={onClose} />}
        empty={{
          title: 'No speech services.',
          hint: 'Applications need a speech service to speak and listen. Add one to start.',
        }}
      />
    </>
  )
}
