import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { RequestId } from '../request-id.tsx'
import styles from './list-state.module.css'

export interface EmptyStateProps {
  title: string
  hint?: ReactNode
  action?: ReactNode
}

export interface FilteredEmptyStateProps {
  title?: string | undefined
  onClear: () => void
  /** The account that the list is limited to, and the way to all accounts. */
  account?: { name: string; onShowAll: () => void } | undefined
}

export interface LoadFailedProps {
  /** The id of the failed request. */
  requestId?: string | undefined
  message: string
  onRetry: () => void
}

export interface ForbiddenProps {
  title?: string | undefined
  hint?: ReactNode
  action?: ReactNode
}

interface StateProps extends EmptyStateProps {
  role?: 'alert' | 'status'
}

const State = ({ role = 'status', title, hint, action }: StateProps) => (
  <div className={styles.state} role={role}>
    <p className={styles.title}>{title}</p>
    {hint && <p className={styles.hint}>{hint}</p>}
    {action === undefined ? null : <div className={styles.action}>{action}</div>}
  </div>
)

/** The list is empty. The action creates the first record. */
export const EmptyState: (props: EmptyStateProps) => ReactNode = State

/** Shown if there are records, but none matches the filters. */
export const FilteredEmptyState = (props: FilteredEmptyStateProps) => {
  const { title = 'Nothing matches these filters.', onClear, account } = props
  return (
    <State
      title={title}
      hint={account ? `This list shows only the account ${account.name}.` : 'Change or clear the filters.'}
      action={
        <>
          <Button onClick={onClear}>Clear filters</Button>
          {/* After the other button, which must not move when the name of the account arrives. */}
          {account && <Button onClick={account.onShowAll}>Show all accounts</Button>}
        </>
      }
    />
  )
}

/** The list failed to load. Shows the reason and a button to try again. */
export const LoadFailed = ({ message, requestId, onRetry }: LoadFailedProps) => (
  <State
    role="alert"
    title="This could not be loaded."
    hint={
      <>
        {message}
        {requestId !== undefined && <RequestId id={requestId} />}
      </>
    }
    action={<Button onClick={onRetry}>Retry</Button>}
  />
)

/** The user has no access. */
export const Forbidden = ({ title = 'You do not have access to this.', hint, action }: ForbiddenProps) => (
  <State title={title} hint={hint ?? 'Ask an administrator if you need it.'} action={action} />
)
