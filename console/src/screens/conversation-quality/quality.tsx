import { isAtLeast } from '@patchbay/contract/api/access'
import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import type { Duration } from '@patchbay/contract/conversations/figures'
import { toNoun } from '@patchbay/contract/shared/record-kinds'
import { lastDays } from '@patchbay/rules/calls/call-quality'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountFilter, toAccountParam, useChosenAccounts } from '../../list/account-filter.tsx'
import { defaultPeriod, likelyOwner, PeriodFilter } from '../../list/quality-filters.tsx'
import { type ConversationQualitySearch, conversationQuality } from '../../routes/conversation-quality.ts'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { ScreenLink, useScreenSearch, useSetSearch } from '../../screen/links.tsx'
import { ConversationsHeader } from '../../sections/conversations-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { ExceededFigure, FigurePage, PickButton } from '../../ui/figure-table.tsx'
import { FigureCard, FigureCards } from '../../ui/figures.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { FilterBar } from '../../ui/table/filter-bar.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { ClearButton } from './clear-button.tsx'
import { ConversationList, toListProblem } from './conversation-list.tsx'
import { ConversationTable, GapPartsTable, MoreFiguresTable } from './figure-tables.tsx'
import { GapTrend } from './gap-trend.tsx'
import { ExceededLimits, LimitsButton } from './limits.tsx'
import { formatDuration, measures } from './measures.ts'
import styles from './quality.module.css'
import { conversationQualityQuery, limitsQuery, type QualityQuery } from './queries.ts'

/** Names of the properties, in lists of choices and as headers. */
const groupingLabels = {
  application: 'Application',
  account: 'Account',
  carrier: 'Carrier',
  sbc: 'SBC',
  stt_vendor: 'Speech-to-text vendor',
  tts_vendor: 'Text-to-speech vendor',
  voice: 'Voice',
  language: 'Language',
  model: 'Language model',
  hour: 'Hour of the day (UTC)',
} as const satisfies Record<NonNullable<QualityQuery['by']>, string>

type Grouping = keyof typeof groupingLabels
const groupings = Object.keys(groupingLabels) as Grouping[]

/** Returns the property in the URL, or the default. */
const toGrouping = (by: string | undefined): Grouping => groupings.find((one) => one === by) ?? 'application'

/** Returns the day in the URL, or undefined if it is none. */
const toDay = (day: string | undefined): string | undefined =>
  day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined

const toQuery = ({ days = defaultPeriod, by, value }: ConversationQualitySearch): QualityQuery => ({
  ...lastDays(Number(days)),
  by: toGrouping(by),
  value,
})

export const loader = ({ search }: { search: ConversationQualitySearch }): Promise<unknown> =>
  prefetchWithin(async () =>
    queryClient.ensureQueryData(conversationQualityQuery(await likelyOwner(search.account), toQuery(search))),
  )

interface CardsProps extends Pick<ConversationQuality, 'total' | 'previous'> {
  /** The limit of the 95th percentile, if there is one. */
  limitMs: number | null
}

const Cards = ({ total, previous, limitMs }: CardsProps) => {
  const compare = (before: string) => (previous.conversations === 0 ? [] : [`${before} in the period before`])
  const { count, p95 } = total.durations.gap
  return (
    <FigureCards>
      <FigureCard
        label="Conversations"
        figure={formatCount(total.conversations)}
        hint={[
          countText(count, count, ['response', 'responses']),
          ...compare(formatCount(previous.conversations)),
        ].join('; ')}
      />
      {measures
        .filter(({ isCard }) => isCard)
        .map(({ id, label, hint, format }) => {
          const limit = id === 'gap_p95' ? limitMs : null
          const limitText = limit === null ? [] : [`limit ${formatDuration(limit)}`]
          return (
            <FigureCard
              key={id}
              label={label}
              figure={
                limit !== null && p95 !== null && p95 > limit ? (
                  <ExceededFigure>{format(total)}</ExceededFigure>
                ) : (
                  format(total)
                )
              }
              hint={[hint, ...limitText, ...compare(format(previous))].join('; ')}
            />
          )
        })}
    </FigureCards>
  )
}

/** Returns the filters of the call list that select the calls of a group, or undefined if no filter does. */
const getCallSearch = (by: Grouping, value: string, calls: CallSearch): CallSearch | undefined => {
  if (value === '') return undefined
  if (by === 'application') return { ...calls, application_sid: value }
  if (by === 'carrier') return { ...calls, trunk: value }
  return by === 'account' ? { ...calls, account: value } : undefined
}

/** Hours are in their order, other values in that of their conversations. */
const sortGroups = (by: Grouping, groups: ConversationQuality['groups']) =>
  by === 'hour' ? groups.toSorted((a, b) => a.value.localeCompare(b.value)) : groups

interface FiguresProps {
  quality: ConversationQuality
  by: Grouping
  period: { from: string; until: string }
  limitMs: number | null
  /** Filters of the call list that select the calls of the period. */
  calls: CallSearch
  /** The selected value of the property. */
  value: string | undefined
  onPick: (value: string) => void
  onPickPart: (part: Duration) => void
  onPickDay: (day: string) => void
  list: ReactNode
}

const noValue = 'none'

const Figures = ({
  quality: { total, previous, days, groups },
  by,
  period,
  limitMs,
  calls,
  value: selected,
  onPick,
  onPickPart,
  onPickDay,
  list,
}: FiguresProps) => (
  <FigurePage>
    <Cards total={total} previous={previous} limitMs={limitMs} />
    <GapTrend days={days} total={total} period={period} limitMs={limitMs} />
    {days.at(-1)?.day === period.until && <p className="note">Today is not over yet, so its figures are partial.</p>}
    <GapPartsTable durations={total.durations} onPick={onPickPart} />
    <MoreFiguresTable total={total} previous={previous} />
    {groups.length > 0 && (
      <ConversationTable
        title={`By ${toNoun(groupingLabels[by])}`}
        head={groupingLabels[by]}
        rows={sortGroups(by, groups).map(({ value, name, ...figures }) => {
          const search = getCallSearch(by, value, calls)
          return {
            ...figures,
            key: value,
            label: (
              <PickButton onPick={() => onPick(value)}>
                {value === '' ? noValue : <Name>{name ?? value}</Name>}
              </PickButton>
            ),
            ...(search && {
              action: (
                <ScreenLink to={recentCalls} search={search}>
                  Calls<span className="visually-hidden"> of {name ?? value}</span>
                </ScreenLink>
              ),
            }),
          }
        })}
      />
    )}
    <ConversationTable
      title="By day (UTC)"
      head="Day"
      rows={days.toReversed().map(({ day, ...figures }) => {
        const callsOfDay = { ...calls, from: day, until: day }
        const search = selected === undefined ? callsOfDay : getCallSearch(by, selected, callsOfDay)
        return {
          ...figures,
          key: day,
          label: (
            <PickButton onPick={() => onPickDay(day)}>
              <span className={styles['day']}>{day}</span>
              {day === period.until && ' (so far)'}
            </PickButton>
          ),
          ...(search && {
            action: (
              <ScreenLink to={recentCalls} search={search}>
                Calls<span className="visually-hidden"> on {day}</span>
              </ScreenLink>
            ),
          }),
        }
      })}
    />
    {list}
  </FigurePage>
)

/** Shows how fast voice agents respond and who interrupts whom, by application, vendor, and day. */
export const ConversationQualityPage = (): ReactNode => {
  const { actor } = requiredSession()
  const search = useScreenSearch(conversationQuality)
  const setSearch = useSetSearch(conversationQuality)
  const service_provider_sid = useProviderSid()
  const selection = useChosenAccounts(search.account)
  const owner: OwnerSid = selection.account_sid ? { account_sid: selection.account_sid } : { service_provider_sid }
  const query = toQuery(search)
  const quality = useQuery({ ...conversationQualityQuery(owner, query), enabled: selection.isKnown })
  const limits = useQuery({ ...limitsQuery(owner), enabled: selection.isKnown })
  const change = (to: ConversationQualitySearch) => void setSearch({ ...search, ...to }, { resetScroll: false })
  const list = useRef<HTMLElement>(null)
  const pickList = (to: ConversationQualitySearch) => {
    change(to)
    // The list is far below the figures that select its conversations.
    list.current?.focus()
  }
  const by = toGrouping(search.by)
  const isWhole = owner.account_sid === undefined
  const groupingOptions = groupings
    .filter((one) => one !== 'account' || isWhole)
    .map((one) => ({ value: one, label: groupingLabels[one] }))
  const { from, until, value } = query
  const calls: CallSearch = { account: isWhole ? 'all' : owner.account_sid, from, until }
  return (
    <>
      <ConversationsHeader
        screen={conversationQuality}
        search={search}
        description="How fast voice agents respond, what people wait for, and who interrupts whom."
        actions={<LimitsButton owner={owner} isEnabled={selection.isKnown} />}
      />
      <ExceededLimits owner={owner} isEnabled={selection.isKnown} />
      <FilterBar>
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountFilter
            all
            value={selection.account_sid}
            onChange={(account_sid) => change({ account: toAccountParam(account_sid), value: undefined })}
          />
        )}
        <PeriodFilter days={search.days} onChange={(days) => change({ days, day: undefined })} />
        <FilterSelect
          label="Group by"
          value={by}
          options={groupingOptions}
          onChange={(next) => change({ by: next, value: undefined })}
        />
        {value !== undefined && (
          <ClearButton
            label={`${groupingLabels[by]} ${value || noValue}: show all`}
            onClear={() => change({ value: undefined })}
          >
            {groupingLabels[by]}: {value || noValue}
          </ClearButton>
        )}
      </FilterBar>
      {quality.data === undefined ? (
        <FormLoading queries={[quality]} sections={3} />
      ) : quality.data.total.conversations === 0 ? (
        <EmptyState
          title="No conversations."
          hint="Statistics of calls with voice agents appear here shortly after a call. They need the record of the call, and its trace or agent events."
        />
      ) : (
        <Figures
          quality={quality.data}
          by={by}
          period={{ from, until }}
          limitMs={limits.data?.gap_p95_ms ?? null}
          calls={calls}
          value={value}
          onPick={(picked) => change(by === 'account' ? { account: picked } : { value: picked })}
          onPickPart={(part) => pickList({ problem: part })}
          onPickDay={(day) => pickList({ day })}
          list={
            <ConversationList
              owner={owner}
              query={query}
              quality={quality.data}
              problem={toListProblem(search.problem)}
              onProblem={(problem) => change({ problem: problem === 'any' ? undefined : problem })}
              day={toDay(search.day)}
              onAllDays={() => change({ day: undefined })}
              ref={list}
            />
          }
        />
      )}
    </>
  )
}
