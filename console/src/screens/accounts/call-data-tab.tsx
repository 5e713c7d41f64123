import type { Account } from '@patchbay/contract/accounts'
import type { DataDeletion } from '@patchbay/contract/data-deletions'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { FigureTable, wideOnly } from '../../ui/figure-table.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import styles from './call-data-tab.module.css'

/** Deletions of the call data of an account, and the dialog that requests one. */

const progressMs = 3000

const dataDeletionsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['data-deletions', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/Accounts/:account_sid/DataDeletions', { params: { account_sid } }, queryCallOptions(context)),
  })

const isActive = ({ status }: DataDeletion): boolean => status !== 'finished'

const today = (): string => new Date().toISOString().slice(0, 10)

interface DialogProps {
  account: Account
  onClose: () => void
}

const DeleteCallData = ({ account: { account_sid, name }, onClose }: DialogProps) => {
  const [day, setDay] = useState(today)
  const [typed, setTyped] = useState('')
  const action = useAction({
    run: () =>
      api('POST /patchbay/Accounts/:account_sid/DataDeletions', {
        params: { account_sid },
        body: { before: `${day}T00:00:00Z` },
      }),
    done: () => 'Deletion of call data started',
    changes: [['data-deletions', account_sid]],
    after: onClose,
    quiet: true,
  })
  const disabledReason = () => {
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) return 'Enter a date.'
    if (day > today()) return 'Enter today or an earlier date.'
    return isConfirmed(name, typed) ? undefined : 'Type the name of the account to confirm.'
  }
  return (
    <ConfirmAction
      action={action}
      title="Delete call data?"
      danger
      confirmLabel="Delete call data"
      confirmDisabledReason={disabledReason()}
      onCancel={onClose}
    >
      <p>
        Calls, traces, log lines, captured SIP, alerts, transcripts, reviews, and recordings of <strong>{name}</strong>{' '}
        will be deleted permanently, and subtracted from the statistics. The audit trail and backups are kept.
      </p>
      <TextField
        type="date"
        label="Delete the data of days before"
        hint="In UTC. The data of this day and of later days is kept."
        max={today()}
        value={day}
        onChange={({ target }) => setDay(target.value)}
      />
      <ConfirmByNameField name={name} typed={typed} onType={setTyped} />
    </ConfirmAction>
  )
}

/** Names of one row and of several. */
const kindLabels: Readonly<Record<keyof DataDeletion['deleted'], readonly [string, string]>> = {
  calls: ['call', 'calls'],
  traces: ['part of a trace', 'parts of traces'],
  logs: ['part of a log', 'parts of logs'],
  captures: ['SIP message', 'SIP messages'],
  alerts: ['alert', 'alerts'],
  conversations: ['conversation', 'conversations'],
  transcripts: ['transcript', 'transcripts'],
  reviews: ['review', 'reviews'],
  agent_events: ['agent event', 'agent events'],
  recordings: ['recording in the storage', 'recordings in the storage'],
  counts: ['row of statistics', 'rows of statistics'],
}

const formatDeleted = ({ deleted }: DataDeletion): string =>
  (Object.entries(deleted) as [keyof typeof kindLabels, number][])
    .map(([kind, count]) => `${count.toLocaleString('en-US')} ${kindLabels[kind][count === 1 ? 0 : 1]}`)
    .join(', ')

const State = ({ deletion: { status, last_error } }: { deletion: DataDeletion }) => {
  if (status === 'finished') return <StateBadge tone={last_error === null ? 'good' : 'warn'}>Finished</StateBadge>
  if (last_error !== null) return <StateBadge tone="warn">Failed, retrying</StateBadge>
  return <StateBadge tone="neutral">{status === 'waiting' ? 'Waiting' : 'Running'}</StateBadge>
}

const Row = ({ deletion }: { deletion: DataDeletion }) => (
  <tr>
    <th scope="row">
      <DateTime iso={deletion.requested_at} />
    </th>
    <td className={wideOnly}>{deletion.requested_by === null ? 'Patchbay' : <Name>{deletion.requested_by}</Name>}</td>
    <td>{deletion.before.slice(0, 10)}</td>
    <td>
      <State deletion={deletion} />
    </td>
    <td className={styles['deleted']}>
      {formatDeleted(deletion) || (deletion.status === 'finished' ? 'nothing' : 'nothing yet')}
      {deletion.last_error !== null && <p className={styles['error']}>{deletion.last_error}</p>}
    </td>
  </tr>
)

/** Lists the deletions of the call data of an account, with their progress, and requests new ones. */
export const CallDataTab = ({ account }: { account: Account }) => {
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    ...dataDeletionsQuery(account.account_sid),
    refetchInterval: (current) =>
      liveRefresh(current.state.data?.some(isActive) === true ? progressMs : false).refetchInterval(current),
  })
  const deletions = query.data
  if (deletions === undefined) return <FormLoading queries={[query]} sections={1} />
  const button = (
    <Button
      disabledReason={
        viewOnlyReason(requiredSession().actor) ??
        (deletions.some(isActive) ? 'Wait until the deletion that runs is finished.' : undefined)
      }
      onClick={() => setOpen(true)}
    >
      Delete call data
    </Button>
  )
  return (
    <div className={styles['tab']}>
      <RefetchErrorBanner query={query} onRetry={() => void query.refetch()} />
      {deletions.length === 0 ? (
        <EmptyState
          title="No call data was deleted on request."
          hint="Delete the calls, recordings, transcripts, and logs of past days, for example because a customer demands it. Patchbay deletes old call data on its own after the retention period."
          action={button}
        />
      ) : (
        <>
          <div>{button}</div>
          <FigureTable title="Deletions of call data">
            <thead>
              <tr>
                <th scope="col">Requested</th>
                <th scope="col" className={wideOnly}>
                  By
                </th>
                <th scope="col">Days before (UTC)</th>
                <th scope="col">State</th>
                <th scope="col">Deleted</th>
              </tr>
            </thead>
            <tbody>
              {deletions.map((deletion) => (
                <Row key={deletion.data_deletion_sid} deletion={deletion} />
              ))}
            </tbody>
          </FigureTable>
        </>
      )}
      {isOpen && <DeleteCallData account={account} onClose={() => setOpen(false)} />}
    </div>
  )
}
