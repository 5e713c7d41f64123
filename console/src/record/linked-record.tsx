import { ScreenLink } from '../screen/links.tsx'
import { findRecordTarget } from './record-target.ts'

interface LinkedRecordProps {
  kind: string
  sid: string
  /** Null if the user has no access to the record. */
  name: string | null
  onClick?: () => void
}

/** The name of a record, as a link to its screen if it has one. A record without a name is named by its SID. */
export const LinkedRecord = ({ kind, sid, name, ...link }: LinkedRecordProps) => {
  const target = name === null ? undefined : findRecordTarget(kind, sid)
  const label = <bdi>{name ?? sid}</bdi>
  return target ? (
    <ScreenLink {...target} {...link}>
      {label}
    </ScreenLink>
  ) : (
    label
  )
}
