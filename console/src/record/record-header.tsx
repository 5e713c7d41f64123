import type { ReactNode } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import { ScreenHeader } from '../screen/screen-header.tsx'
import { Sid } from '../ui/format/sid.tsx'
import { RelativeTime } from '../ui/format/time.tsx'
import styles from './record-header.module.css'

interface RecordHeaderProps {
  screen: Screen
  name: string
  /** The heading. Defaults to the name. */
  title?: string | undefined
  sid: string
  badge?: ReactNode
  /** ISO 8601. Absent if the record has no creation time. */
  createdAt?: string | null | undefined
  /** Time and author of the last change. */
  lastChange?: ReactNode
  actions?: ReactNode
}

/** The header of a record: name, state, SID, creation time, last change, and actions. */
export const RecordHeader = ({
  screen,
  name,
  title = name,
  sid,
  badge,
  createdAt,
  lastChange,
  actions,
}: RecordHeaderProps) => (
  <ScreenHeader
    screen={screen}
    title={title}
    badge={badge}
    description={
      <span className={styles['facts']}>
        <Sid value={sid} of={name} />
        {createdAt && (
          <span>
            created <RelativeTime iso={createdAt} />
          </span>
        )}
        {lastChange}
      </span>
    }
    actions={actions}
  />
)
