import type { ReactNode } from 'react'
import { Sid } from '../ui/sid.tsx'
import { RelativeTime } from '../ui/time.tsx'
import styles from './record-header.module.css'
import type { Screen } from '../routes/define-screen.ts'
import { ScreenHeader } from '../screen/screen-header.tsx'

interface RecordHeadProps {
  screen: Screen
  name: string
  sid: string
  /** a badge */
  state?: ReactNode
  /** ISO 8601; where the record says it */
  createdAt?: string | null
  /** when it was changed last, and by whom */
  changed?: ReactNode
  actions?: ReactNode
}

/** The head of a record: what it is called and how it stands, its SID, since when it is there, and what can be done. */
export const RecordHeader = ({ screen, name, sid, state, createdAt, changed, actions }: RecordHeadProps) => (
  <ScreenHeader
    screen={screen}
    title={name}
    badge={state}
    description={
      <span className={styles['facts']}>
        <Sid value={sid} of={name} />
        {createdAt && (
          <span>
            created <RelativeTime iso={createdAt} />
          </span>
        )}
        {changed}
      </span>
    }
    actions={actions}
  />
)
