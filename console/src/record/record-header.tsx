import type { ReactNode } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import { ScreenHeader } from '../screen/screen-header.tsx'
import { Sid } from '../ui/format/sid.tsx'
import { RelativeTime } from '../ui/format/time.tsx'

interface RecordHeaderProps {
  screen: Screen
  name: string
  /** Starts the heading: what the page does with the record. */
  prefix?: string | undefined
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
  prefix,
  sid,
  badge,
  createdAt,
  lastChange,
  actions,
}: RecordHeaderProps) => (
  <ScreenHeader
    screen={screen}
    title={name}
    prefix={prefix}
    badge={badge}
    meta={
      <>
        <Sid value={sid} of={name} />
        {createdAt && (
          <span>
            created <RelativeTime iso={createdAt} />
          </span>
        )}
        {lastChange}
      </>
    }
    actions={actions}
  />
)
