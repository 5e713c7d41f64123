import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { queryClient, retryPendingReads } from '../api/query-client.ts'
import { useErrorToast } from '../feedback/use-action.ts'
import { FormLoading } from '../form/form-loading.tsx'
import { lazyPart } from '../lazy/lazy-part.tsx'
import { prefetchWithin } from '../lazy/prefetch.ts'
import { useReturnToList } from '../list/use-return-to-list.ts'
import type { Screen } from '../routes/define-screen.ts'
import type { TabSearch } from '../routes/tab-search-params.ts'
import { ScreenHeader } from '../screen/screen-header.tsx'
import { type ScreenTab, ScreenTabs } from '../screen/screen-tabs.tsx'
import {
  accessDeniedMessage,
  isAccessError,
  useLeaveWhenFailed,
  useRedirectWhen,
} from '../screen/use-redirect-on-error.ts'
import { Button } from '../ui/button.tsx'
import { FormSkeleton } from '../ui/fields/form-skeleton.tsx'
import type { AuditKind } from './audit/labels.ts'
import { hasAuditTrail, LastChange, prefetchLastChange, useLastChangeLoaded } from './audit/last-change.tsx'
import { RecordHeader } from './record-header.tsx'

type RecordQuery<Row, Key extends QueryKey> = UseQueryOptions<Row, Error, Row, Key>

/** Identifies a record and the screens around it. The page and the view of a record share these. */
export interface RecordScreen {
  screen: Screen<string, TabSearch>
  /** The list that users return to. */
  list: Screen
  /** Kind of the record in the audit trail. */
  kind: AuditKind
}

/**
 * Starts the reads of a record's page while its code is still loading: the record, its last change, and whatever else
 * the page needs. Delays the page for up to 150 ms.
 */
export const prefetchRecord = <Row, Key extends QueryKey>(
  kind: AuditKind,
  sid: string,
  query: RecordQuery<Row, Key> | Promise<RecordQuery<Row, Key>>,
  ...more: Promise<unknown>[]
): Promise<unknown> =>
  prefetchWithin(() => {
    const record = async () => queryClient.ensureQueryData(await query)
    return Promise.all([record(), prefetchLastChange(kind, sid), ...more])
  })

interface RecordPageProps<Row, Key extends QueryKey> extends RecordScreen {
  sid: string
  query: RecordQuery<Row, Key>
  /** Number of form sections in the skeleton. */
  sections: number
  /** Path for users who cannot access the record. Defaults to the list. */
  fallbackPath?: string
  /** Shows a toast, or a toast and the list, if the record cannot be loaded. By default the page offers Retry only. */
  onLoadError?: 'toast' | 'leave'
  /** Returns false for a record that the user can read but not open. */
  canOpen?: (record: Row) => boolean
  /** Renders the record. `loadError` is the error of the last refetch, or null. */
  children: (record: Row, loadError: Error | null) => ReactNode
}

/** The page of a record: loads it, and shows a skeleton, an error with Retry, or the record. */
export const RecordPage = <Row, Key extends QueryKey>({
  screen,
  list,
  kind,
  sid,
  query,
  sections,
  fallbackPath = list.path,
  onLoadError,
  canOpen = () => true,
  children,
}: RecordPageProps<Row, Key>) => {
  const result = useQuery(query)
  const isLastChangeLoaded = useLastChangeLoaded(kind, sid)
  const isDenied = result.data !== undefined && !canOpen(result.data)
  const loadError = result.data === undefined ? result.error : null
  const failure = isAccessError(loadError) ? null : loadError
  useRedirectWhen(isDenied || isAccessError(loadError) ? accessDeniedMessage : undefined, fallbackPath)
  useErrorToast(onLoadError === 'toast' ? failure : null)
  useLeaveWhenFailed(onLoadError === 'leave' ? failure : null, fallbackPath)
  if (result.data !== undefined && !isDenied && isLastChangeLoaded)
    return <Fragment key={sid}>{children(result.data, result.error)}</Fragment>
  return (
    <>
      <ScreenHeader screen={screen} />
      {isAccessError(loadError) || onLoadError === 'leave' ? (
        <FormSkeleton sections={sections} onRetry={() => void retryPendingReads()} />
      ) : (
        <FormLoading queries={[result]} sections={sections} />
      )}
    </>
  )
}

const History = lazyPart('record-history', async () => (await import('./audit/history.tsx')).History)

export interface RecordDeletion {
  /** Label of the button that opens the dialog. */
  label: string
  disabledReason?: string | undefined
  /** Renders the confirmation dialog. */
  renderDialog: (handlers: { onClose: () => void; onDeleted: () => Promise<void> }) => ReactNode
}

interface RecordViewProps extends RecordScreen {
  sid: string
  name: string
  /** Starts the heading: what the page does with the record. */
  prefix?: string
  badge?: ReactNode
  /** ISO 8601 */
  createdAt?: string | null
  /** Actions besides the deletion. */
  actions?: ReactNode
  /** Absent if the user cannot delete the record. */
  deletion?: RecordDeletion | false
  /** Accessible name of the tabs. */
  tabsLabel: string
  /** Content of the first tab, usually a form. It stays mounted while another tab is selected. */
  details: ReactNode
  /** Tabs between the details and the history. */
  tabs?: readonly ScreenTab[]
}

/** A loaded record: header with actions, tabs with the details and the history, and the deletion dialog. */
export const RecordView = ({
  screen,
  list,
  kind,
  sid,
  name,
  prefix,
  badge,
  createdAt,
  actions,
  deletion,
  tabsLabel,
  details,
  tabs = [],
}: RecordViewProps) => {
  const [isDeleting, setDeleting] = useState(false)
  const returnToList = useReturnToList(list)
  return (
    <>
      <RecordHeader
        screen={screen}
        name={name}
        prefix={prefix}
        sid={sid}
        badge={badge}
        createdAt={createdAt}
        lastChange={<LastChange kind={kind} sid={sid} />}
        actions={
          <>
            {actions}
            {deletion && (
              <Button disabledReason={deletion.disabledReason} onClick={() => setDeleting(true)}>
                {deletion.label}
              </Button>
            )}
          </>
        }
      />
      <ScreenTabs
        screen={screen}
        label={tabsLabel}
        tabs={[
          { id: 'details', label: 'Details', stays: true, content: details },
          ...tabs,
          ...(hasAuditTrail() ? [{ id: 'history', label: 'History', content: <History kind={kind} sid={sid} /> }] : []),
        ]}
      />
      {deletion && isDeleting && deletion.renderDialog({ onClose: () => setDeleting(false), onDeleted: returnToList })}
    </>
  )
}
