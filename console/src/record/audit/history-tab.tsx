import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auditTrailQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { EmptyState } from '../../ui/list-state.tsx'
import { Name } from '../../ui/reference.tsx'
import { DateTime } from '../../ui/time.tsx'
import type { ScreenTab } from '../../screen/screen-tabs.tsx'
import { keepsAuditTrail } from './has-audit-trail.ts'
import { Changes } from './entry-details.tsx'
import styles from './entry-details.module.css'
import { type AuditKind, actionLabels, actionTones, actorText } from './labels.ts'

const atFirst = 25
/** The largest page size of the API. */
const atMost = 500

interface HistoryProps {
  kind: AuditKind
  sid: string
}

const History = ({ kind, sid }: HistoryProps) => {
  const [count, setCount] = useState(atFirst)
  const history = useQuery(auditTrailQuery({ page: '1', count: String(count), kind, sid }))
  if (history.data === undefined) return <FormLoading queries={[history]} sections={1} />
  const { data, total } = history.data
  if (data.length === 0)
    return <EmptyState title="Nothing is recorded yet." hint="Changes will stand here, with who made them." />
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
            {entry.changes.length > 0 && <Changes changes={entry.changes} />}
          </li>
        ))}
      </ol>
      {total > data.length && data.length < atMost && (
        <Button busy={history.isFetching} onClick={() => setCount(Math.min(atMost, count * 2))}>
          Show more
        </Button>
      )}
    </>
  )
}

/** The history of a record as one of its tabs, for those who may read the audit trail, where the server keeps one. */
export const historyTab = ({ kind, sid }: HistoryProps): ScreenTab[] =>
  keepsAuditTrail() ? [{ id: 'history', label: 'History', content: <History kind={kind} sid={sid} /> }] : []
