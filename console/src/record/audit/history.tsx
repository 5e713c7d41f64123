import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auditTrailQuery } from '../../api/shared-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { actorText } from './actor-text.ts'
import styles from './entry-details.module.css'
import { Changes } from './entry-details.tsx'
import { type AuditKind, actionLabels, actionTones } from './labels.ts'

const initialCount = 25
/** The largest page size of the API. */
const maxCount = 500

interface HistoryProps {
  kind: AuditKind
  sid: string
}

/** The audit entries of a record, newest first. */
export const History = ({ kind, sid }: HistoryProps) => {
  const [count, setCount] = useState(initialCount)
  const history = useQuery(auditTrailQuery({ page: '1', count: String(count), kind, sid }))
  if (history.data === undefined) return <FormLoading queries={[history]} />
  const { data, total, referenced_records } = history.data
  if (data.length === 0)
    return (
      <EmptyState
        title="Nothing is recorded yet."
        hint="Changes to this record appear here, with the user who made them."
      />
    )
  return (
    <>
      <ol className={styles['history']} aria-label="History">
        {data.map((entry) => (
          <li key={entry.entry_sid} className={styles['entry']}>
            <div className={styles['what']}>
              <DateTime iso={entry.at} />
              <Name>{actorText(entry)}</Name>
              <StateBadge tone={actionTones[entry.action]}>{actionLabels[entry.action]}</StateBadge>
            </div>
            {entry.changes.length > 0 && <Changes changes={entry.changes} records={referenced_records} />}
          </li>
        ))}
      </ol>
      {total > data.length && data.length < maxCount && (
        <Button busy={history.isFetching} onClick={() => setCount(Math.min(maxCount, count * 2))}>
          Show more
        </Button>
      )}
    </>
  )
}
