import { isAtLeast } from '@patchbay/contract/api/access'
import type { CallQuality } from '@patchbay/contract/call-quality'
import { lastDays } from '@patchbay/rules/calls/call-quality'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountFilter, toAccountParam, useChosenAccounts } from '../../list/account-filter.tsx'
import { defaultPeriod, likelyOwner, PeriodFilter } from '../../list/quality-filters.tsx'
import { callQuality, type QualitySearch } from '../../routes/call-quality.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { useScreenSearch, useSetSearch } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { FigurePage, PickButton } from '../../ui/figure-table.tsx'
import { FigureCard, FigureCards } from '../../ui/figures.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { FilterBar } from '../../ui/table/filter-bar.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { attemptNouns, CallsLink, FiguresTable } from './figures-table.tsx'
import { formatMeasure, measures } from './measures.ts'
import { type QualityQuery, qualityQuery } from './queries.ts'
import { Trends } from './trends.tsx'

/** The explanations of SIP statuses load in a chunk of their own. */
const Failures = lazyPart('call-failures', async () => (await import('./failures.tsx')).Failures)

/** Most installations have no blocked calls and no signed ones. */
const SipFigures = lazyPart('sip-figures', async () => (await import('./sip-figures.tsx')).SipFigures)

const directionOptions = [
  { value: 'either', label: 'either' },
  { value: 'inbound', label: 'inbound' },
  { value: 'outbound', label: 'outbound' },
] as const

const toQuery = ({ days = defaultPeriod, trunk, direction }: QualitySearch): QualityQuery => ({
  ...lastDays(Number(days)),
  trunk,
  direction,
})

export const loader = ({ search }: { search: QualitySearch }): Promise<unknown> =>
  prefetchWithin(async () =>
    queryClient.ensureQueryData(qualityQuery(await likelyOwner(search.account), toQuery(search))),
  )

const cardIds = ['asr', 'ner', 'pdd'] as const

const Cards = ({ total, search }: { total: CallQuality['total']; search: CallSearch }) => (
  <FigureCards>
    <FigureCard
      label="Attempts"
      figure={<CallsLink count={total.attempts} nouns={attemptNouns} search={search} />}
      hint={`${formatCount(total.answered)} answered, on average ${formatMeasure('acd', total)}`}
    />
    {measures
      .filter(({ id }) => cardIds.some((one) => one === id))
      .map(({ id, short, name, hint, text }) => (
        <FigureCard key={id} label={`${name} (${short})`} figure={text(total)} hint={hint} />
      ))}
  </FigureCards>
)

/** Says how many calls were blocked, and by which signs they are counted. */
const BlockedNote = ({ quality: { total, counts_sip } }: { quality: CallQuality }) => (
  <p className="note">
    Blocked calls: {formatCount(total.blocked)} (
    {counts_sip
      ? 'ended with 607 or 608, or with another status whose captured SIP reports a block'
      : 'ended with 607 or 608; only captured SIP, which is not received, tells other blocks'}
    ).
  </p>
)

interface FiguresProps {
  quality: CallQuality
  period: { from: string; until: string }
  /** Filters of the call list that select all counted calls. */
  search: CallSearch
  /** Names of the provider's accounts by SID. Undefined if the figures are those of one account. */
  accountNames: ReadonlyMap<string, string> | undefined
  narrow: (to: QualitySearch) => void
}

const Figures = ({ quality, period, search, accountNames, narrow }: FiguresProps) => {
  const { total, days, trunks, directions, accounts, statuses } = quality
  return (
    <FigurePage>
      <Cards total={total} search={search} />
      <Trends quality={quality} period={period} />
      {days.at(-1)?.day === period.until && <p className="note">Today is not over yet, so its figures are partial.</p>}
      <FiguresTable
        title="By carrier"
        head="Carrier"
        hasBlocked={total.blocked > 0}
        rows={trunks.map(({ trunk, ...figures }) => ({
          ...figures,
          key: trunk,
          description: `over ${trunk || 'no carrier'}`,
          // The list of calls has no filter for calls without a carrier.
          search: trunk ? { ...search, trunk } : undefined,
          name: trunk ? (
            <PickButton onPick={() => narrow({ trunk })}>
              <Name>{trunk}</Name>
            </PickButton>
          ) : (
            'none'
          ),
        }))}
      />
      {total.blocked > 0 && <BlockedNote quality={quality} />}
      {(total.blocked > 0 || quality.identities.length > 0) && <SipFigures quality={quality} search={search} />}
      {accountNames && (
        <FiguresTable
          title="By account"
          head="Account"
          rows={accounts.map(({ account_sid, ...figures }) => ({
            ...figures,
            key: account_sid,
            description: `of ${accountNames.get(account_sid) ?? account_sid}`,
            search: { ...search, account: account_sid },
            name: (
              <PickButton onPick={() => narrow({ account: account_sid })}>
                <Name>{accountNames.get(account_sid) ?? account_sid}</Name>
              </PickButton>
            ),
          }))}
        />
      )}
      {statuses.length > 0 && <Failures quality={quality} search={search} />}
      <FiguresTable
        title="By direction"
        head="Direction"
        rows={directions.map(({ direction, ...figures }) => ({
          ...figures,
          key: direction,
          description: direction,
          search: direction === 'inbound' || direction === 'outbound' ? { ...search, direction } : search,
          name: direction || 'unknown',
        }))}
      />
      <FiguresTable
        title="By day (UTC)"
        head="Day"
        rows={days.toReversed().map(({ day, ...figures }) => ({
          ...figures,
          key: day,
          description: `on ${day}`,
          search: { ...search, from: day, until: day },
          name: day === period.until ? `${day} (so far)` : day,
        }))}
      />
    </FigurePage>
  )
}

/** Shows answer rates, durations, and failure reasons by carrier, account, direction, and day. */
export const CallQualityPage = (): ReactNode => {
  const { actor } = requiredSession()
  const search = useScreenSearch(callQuality)
  const setSearch = useSetSearch(callQuality)
  const service_provider_sid = useProviderSid()
  const selection = useChosenAccounts(search.account)
  const owner: OwnerSid = selection.account_sid ? { account_sid: selection.account_sid } : { service_provider_sid }
  const query = toQuery(search)
  const quality = useQuery({ ...qualityQuery(owner, query), enabled: selection.isKnown })
  const isWhole = owner.account_sid === undefined
  const accounts = useQuery({ ...accountsQuery(service_provider_sid), enabled: isWhole && actor.scope !== 'account' })
  const change = (to: QualitySearch) => void setSearch({ ...search, ...to }, { resetScroll: false })
  const names = new Map(accounts.data?.map(({ account_sid, name }) => [account_sid, name]))
  const { from, until } = query
  const calls: CallSearch = {
    account: isWhole ? 'all' : owner.account_sid,
    from,
    until,
    ...(search.trunk ? { trunk: search.trunk } : {}),
    ...(search.direction ? { direction: search.direction } : {}),
  }
  return (
    <>
      <ScreenHeader screen={callQuality} description="Answer rates, durations, and failure reasons by carrier." />
      <FilterBar>
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountFilter
            all
            value={selection.account_sid}
            onChange={(account_sid) => change({ account: toAccountParam(account_sid) })}
          />
        )}
        <PeriodFilter days={search.days} onChange={(days) => change({ days })} />
        <FilterSelect
          label="Direction"
          value={search.direction ?? 'either'}
          options={directionOptions}
          onChange={(direction) => change({ direction: direction === 'either' ? undefined : direction })}
        />
        {search.trunk && (
          <Button
            size="small"
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => change({ trunk: undefined })}
            aria-label={`Carrier ${search.trunk}: show all carriers`}
          >
            Carrier: {search.trunk}
          </Button>
        )}
      </FilterBar>
      {quality.data === undefined ? (
        <FormLoading queries={[quality]} sections={3} />
      ) : quality.data.total.attempts === 0 ? (
        <EmptyState title="No calls." hint="Statistics of the calls in the chosen period appear here." />
      ) : (
        <Figures
          quality={quality.data}
          period={{ from, until }}
          search={calls}
          accountNames={isWhole ? names : undefined}
          narrow={change}
        />
      )}
    </>
  )
}
