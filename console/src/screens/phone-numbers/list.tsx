import { isAtLeast } from '@patchbay/contract/api/access'
import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import type { numberAttention } from '@patchbay/contract/shared/attention-kinds'
import { useQuery } from '@tanstack/react-query'
import { PhoneIncoming, Upload } from 'lucide-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { config } from '../../api/configuration.ts'
import { queryClient } from '../../api/query-client.ts'
import { useErrorToast } from '../../feedback/use-action.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { useLazyComponent } from '../../lazy/use-lazy-component.ts'
import { AccountListFilter } from '../../list/account-filter.tsx'
import { AttentionFilter } from '../../list/attention-filter.tsx'
import { useCurrentBulkChange } from '../../list/bulk/current-change.ts'
import { selectColumn } from '../../list/bulk/select-column.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import type { ListView } from '../../list/list-frame.tsx'
import { RecordList } from '../../list/record-list.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { type AttentionSearch, clearingAccount } from '../../routes/account-search-params.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { inboundExplainer } from '../../routes/inbound-explainer.ts'
import { addPhoneNumber, editPhoneNumber, importPhoneNumbers, phoneNumberList } from '../../routes/phone-numbers.ts'
import { recordLink } from '../../routes/record-link.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { lazyExtra } from '../../ui/lazy-extra.tsx'
import type { AppliedRouting } from './bulk-routing.tsx'
import { addDeniedReason } from './can-add.ts'
import { DeleteNumber } from './delete-number.tsx'
import { columns } from './number-columns.tsx'
import { type NumberQuery, numberKeys, phoneNumbersQuery } from './queries.ts'
import {
  accountSelected,
  countSelected,
  everything,
  isSelected,
  nothing,
  nouns,
  pageSelected,
  type Selection,
  select,
} from './selection.ts'

const BulkProgress = lazyExtra(async () => (await import('../../list/bulk/bulk-progress.tsx')).BulkProgress)
const SelectionBar = lazyExtra(async () => (await import('./selection-bar.tsx')).SelectionBar)

const numberLink = recordLink(editPhoneNumber, ({ number }: NamedPhoneNumber) => number)

/** Keeps the selection for one combination of filters. It is empty after the filters change. */
const useSelection = (question: string) => {
  const [state, setState] = useState({ question, selection: nothing })
  const selection = state.question === question ? state.selection : nothing
  const setSelection = useCallback((next: Selection) => setState({ question, selection: next }), [question])
  return [selection, setSelection] as const
}

type Search = AttentionSearch<(typeof numberAttention)[number]>

const toPageQuery = ({ page = 1, size = defaultPageSize }: Search) => ({
  page: String(page),
  page_size: String(size),
})

const toQuery = (service_provider_sid: string, { account, filter, attention }: Search): NumberQuery => ({
  service_provider_sid,
  account_sid: account,
  filter,
  attention,
})

export const loader = ({ search }: { search: Search }): Promise<unknown> =>
  prefetchWithin(async () =>
    queryClient.ensureQueryData(phoneNumbersQuery(toQuery(await likelyProvider(), search), toPageQuery(search))),
  )

const unfiltered = { account: undefined, filter: undefined, attention: undefined }

const InboundLink = () =>
  canOpen(inboundExplainer, requiredSession().actor) && (
    <ScreenLink to={inboundExplainer} className={buttonClass()}>
      <PhoneIncoming size={16} aria-hidden="true" />
      Test inbound routing
    </ScreenLink>
  )

/** `blocked` is the reason why this user cannot add numbers. */
const ImportActions = ({ blocked }: { blocked: string | undefined }) => (
  <>
    <InboundLink />
    {blocked ? (
      <Button disabledReason={blocked}>Import</Button>
    ) : (
      <ScreenLink to={importPhoneNumbers} className={buttonClass()}>
        <Upload size={16} aria-hidden="true" />
        Import
      </ScreenLink>
    )}
  </>
)

/** View-only users have no checkboxes. */
const useColumns = (
  viewOnly: string | undefined,
  { rows, query }: ListView<NamedPhoneNumber>,
  toName: (row: NamedPhoneNumber) => string,
  selection: Selection,
  onSelect: (selection: Selection) => void,
) =>
  useMemo(
    () =>
      viewOnly
        ? columns
        : [
            selectColumn({
              allLabel: 'Select all on this page',
              rows: rows ?? [],
              isOutdated: query.isPlaceholderData,
              selected: pageSelected(selection, rows ?? []),
              toName,
              isSelected: (row) => isSelected(selection, row),
              onSelect: (some, on) => onSelect(select(selection, some, on)),
            }),
            ...columns,
          ],
    [viewOnly, rows, query.isPlaceholderData, toName, selection, onSelect],
  )

/** The buttons of a row name the number as the row displays it. */
const useNumberLink = () => {
  const formatNumber = usePhoneNumberFormat()
  return useMemo(
    () => ({ ...numberLink, toName: ({ number }: NamedPhoneNumber) => formatNumber(number) }),
    [formatNumber],
  )
}

/** Lists the phone numbers of the service provider, or of one account. */
export const PhoneNumbersPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const address = useListSearch(phoneNumberList)
  const { search } = address
  const numberQuery = toQuery(service_provider_sid, search)
  const link = useNumberLink()
  const numbers = useQuery(phoneNumbersQuery(numberQuery, toPageQuery(search)))
  useErrorToast(numbers.error)
  const list = useServerList({
    address,
    query: numbers,
    question: [numberQuery, toPageQuery(search)],
    rowKey: numberLink.rowKey,
    unfiltered,
  })
  const [selection, setSelection] = useSelection(JSON.stringify(numberQuery))
  const bulkChange = useCurrentBulkChange('phone_number')
  const routing = useLazyComponent(async () => (await import('./bulk-routing.tsx')).BulkRouting)
  const [removes, setRemoves] = useState(false)
  const undo = useLazyComponent(async () => (await import('./undo-routing.tsx')).UndoRouting)
  const [applied, setApplied] = useState<{ nth: number; routing: AppliedRouting }>()
  const openRouting = (isRemoval: boolean) => {
    setRemoves(isRemoval)
    routing.open()
  }
  const closeRouting = (outcome?: AppliedRouting) => {
    routing.close()
    if (outcome === undefined) return
    if (outcome.unrouted.length === 0) setSelection(nothing)
    // Each change has a minute of its own in which it can be undone.
    setApplied((before) => ({ nth: (before?.nth ?? 0) + 1, routing: outcome }))
    if (outcome.routed.length > 0) undo.open()
    else undo.close()
  }
  const account_sid = accountSelected(selection, actor.account_sid ?? search.account)
  const blocked = addDeniedReason(actor)
  const viewOnly = viewOnlyReason(actor)
  const { rows, total } = list.view

  const listColumns = useColumns(viewOnly, list.view, link.toName, selection, setSelection)

  return (
    <>
      <RecordList
        screen={phoneNumberList}
        description="Phone numbers with their carriers and the applications that handle their calls."
        nouns={nouns}
        view={clearingAccount(list.view)}
        columns={listColumns}
        rowKey={numberLink.rowKey}
        action={<ImportActions blocked={blocked} />}
        search={{ label: 'Filter phone numbers', ...list.filter }}
        filters={
          <>
            {isAtLeast(actor.scope, 'service_provider') && <AccountListFilter address={address} />}
            <AttentionFilter kind={search.attention} onRemove={() => address.change({ attention: undefined })} />
          </>
        }
        above={
          <>
            {undo.Part && applied && <undo.Part key={applied.nth} routing={applied.routing} onClose={undo.close} />}
            {bulkChange !== undefined && (
              <BulkProgress key={bulkChange} kind="phone_number" nouns={nouns} sid={bulkChange} changes={numberKeys} />
            )}
          </>
        }
        selection={
          countSelected(selection, total) > 0 && (
            <SelectionBar
              selection={selection}
              total={total}
              page={rows ?? []}
              query={numberQuery}
              onSelect={setSelection}
              onStarted={() => setSelection(nothing)}
              onRouting={openRouting}
              isRoutingLoading={routing.isLoading}
            />
          )
        }
        more={
          <ExportMenu
            // The copied command runs outside of the console, where no other endpoint answers for a missing one.
            endpoint={
              config().extensions.has('many-phone-numbers') ? 'GET /patchbay/phone-numbers' : 'GET /PhoneNumbers'
            }
            input={{ query: { ...numberQuery, ...toPageQuery(search) } }}
            rows={async () => (await import('./form/read-selected.ts')).readSelected(everything, numberQuery)}
            table="phone-numbers"
          />
        }
        add={{ to: addPhoneNumber, label: 'Add phone number', denied: blocked }}
        row={link}
        deletionDenied={viewOnly}
        renderDeletion={(number, onClose) => <DeleteNumber number={number} onClose={onClose} />}
        empty={{
          title: 'No phone numbers.',
          hint: 'A phone number routes incoming calls of a carrier to an application. Add one to start.',
        }}
      />
      {routing.Part && (
        <routing.Part
          removes={removes}
          selection={selection}
          total={total}
          query={numberQuery}
          account_sid={account_sid}
          onClose={closeRouting}
        />
      )}
    </>
  )
}
