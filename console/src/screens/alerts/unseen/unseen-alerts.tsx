import type { Alert } from '@patchbay/contract/alerts'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import { useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { countText } from '../../../ui/format/text.ts'
import { DateTime } from '../../../ui/format/time.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import { AlertDetails } from '../alert-details.tsx'
import { alertKey } from '../alert-facts.ts'
import styles from './unseen.module.css'
import { hideUnseen, markSeen, type UnseenAlerts, unseenQuery, useMarkSeen } from './unseen-queries.ts'

const title = 'New since your last visit'

/** The rows have no headings of days, so each contains its date. */
const timeColumn: TableColumn<Alert> = {
  id: 'time',
  header: 'Time',
  share: 12,
  nowrap: true,
  card: 'end',
  cell: ({ time }) => <DateTime iso={time} />,
}

interface UnseenGroupProps {
  owner: OwnerSid
  unseen: UnseenAlerts
  /** The rows of the list when it was opened. The group contains the others. */
  listed: ReadonlySet<string>
  columns: readonly TableColumn<Alert>[]
}

/** Shows the new alerts that the filters of the list hide, and marks all as seen. */
export const UnseenGroup = ({ owner, unseen, listed, columns }: UnseenGroupProps) => {
  const [busy, setBusy] = useState(false)
  useMarkSeen(owner, unseen.until)
  const hidden = unseen.alerts.filter((alert) => !listed.has(alertKey(alert))).toReversed()
  const { rest, newest } = unseen
  const run = async (change: () => Promise<unknown>) => {
    setBusy(true)
    await change().catch(() => {})
    setBusy(false)
  }
  const showMore = () => run(() => queryClient.fetchQuery({ ...unseenQuery(owner), staleTime: 0 }))
  const markAll = () =>
    run(async () => {
      if (newest !== null) await markSeen(owner, newest)
      hideUnseen(owner)
    })
  const groupColumns = columns.map((column) => (column.id === 'time' ? timeColumn : column))
  return (
    <section aria-label={title} className={styles['group']}>
      <header>
        <h2>{title}</h2>
        {rest > 0 && (
          <>
            <p>and {countText(rest, rest, ['newer alert', 'newer alerts'])}</p>
            <Button size="small" busy={busy} onClick={() => void showMore()}>
              Show more
            </Button>
            <Button size="small" variant="ghost" busy={busy} onClick={() => void markAll()}>
              Mark all as seen
            </Button>
          </>
        )}
        {rest === 0 && (
          <Button size="small" variant="ghost" onClick={() => hideUnseen(owner)}>
            Hide
          </Button>
        )}
      </header>
      <DataTable
        caption={title}
        columns={groupColumns}
        rows={hidden}
        rowKey={alertKey}
        state="ready"
        details={{
          renderLabel: ({ alert_type, message }) => `${formatAlertType(alert_type)}: ${message}`,
          render: (alert) => <AlertDetails alert={alert} />,
        }}
      />
    </section>
  )
}
