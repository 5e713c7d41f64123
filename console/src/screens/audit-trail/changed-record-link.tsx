import type { AuditEntry } from '@patchbay/contract/audit-trail'
import { isRecordKind, recordNoun } from '@patchbay/contract/shared/record-kinds'
import { findRecordTarget } from '../../record/record-target.ts'
import { ScreenLink } from '../../screen/links.tsx'

/** Links to the record of an entry, unless it was deleted. */
export const RecordLink = ({ entry: { kind, sid, action } }: { entry: AuditEntry }) => {
  if (!sid || !isRecordKind(kind) || action === 'delete') return null
  const target = findRecordTarget(kind, sid)
  return target && <ScreenLink {...target}>Show the {recordNoun(kind)}</ScreenLink>
}
