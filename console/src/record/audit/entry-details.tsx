import type { AuditChange, AuditEntry, ReferencedRecord } from '@patchbay/contract/audit-trail'
import { ScreenLink } from '../../screen/links.tsx'
import { type DefinitionEntry, DefinitionList } from '../../ui/definition-list.tsx'
import { Name, Reference, type ReferenceLink } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { findRecordTarget } from '../record-target.ts'
import styles from './entry-details.module.css'
import { fieldText, valueText } from './labels.ts'

const toLink = (target: NonNullable<ReturnType<typeof findRecordTarget>>) => (props: ReferenceLink) => (
  <ScreenLink {...target} {...props} />
)

/** The name of the record to which a value refers. A record that exists and that the user can open is a link. */
const RecordName = ({ record: { kind, sid, name, is_deleted } }: { record: ReferencedRecord }) => {
  const target = is_deleted ? undefined : findRecordTarget(kind, sid)
  return (
    <>
      {target ? <Reference name={name} sid={sid} link={toLink(target)} /> : <Reference name={name} sid={sid} />}
      {is_deleted && <span className={styles['none']}> (deleted)</span>}
    </>
  )
}

interface ValueProps {
  field: string
  value: unknown
  records: readonly ReferencedRecord[]
}

const Value = ({ field, value, records }: ValueProps) => {
  const record = field.endsWith('_sid') ? records.find(({ sid }) => sid === value) : undefined
  if (record) return <RecordName record={record} />
  const text = valueText(value, field)
  return text === undefined ? <span className={styles['none']}>nothing</span> : <Name>{text}</Name>
}

interface ChangesProps {
  changes: readonly AuditChange[]
  /** The records that the values can refer to. The SIDs of others are displayed. */
  records: readonly ReferencedRecord[]
}

/** Old and new value of each field. A definition list, because it is displayed within a table row. */
export const Changes = ({ changes, records }: ChangesProps) => (
  <dl className={styles['changes']}>
    {changes.map(({ field, before, after }) => (
      <div key={field} className={styles['change']}>
        <dt>{fieldText(field)}</dt>
        <dd>
          <span className="visually-hidden">before: </span>
          <Value field={field} value={before} records={records} />
        </dd>
        <dd>
          <span className={styles['arrow']} aria-hidden="true">
            →
          </span>
          <span className="visually-hidden">after: </span>
          <Value field={field} value={after} records={records} />
        </dd>
      </div>
    ))}
  </dl>
)

const listFacts = ({ reason, times, sid, actor_sid, address, request_id }: AuditEntry): DefinitionEntry[] => {
  const mono = (name: string, value: string | null): DefinitionEntry[] =>
    value ? [[name, value, { mono: true, copy: value }]] : []
  return [
    ...(reason ? [['Reason', reason] as const] : []),
    ...(times > 1 ? [['Times', `${formatCount(times)} within a second`] as const] : []),
    ...mono('SID', sid),
    ...mono('SID of the user or key', actor_sid),
    ...mono('From address', address),
    ...mono('Request ID', request_id),
  ]
}

/** All details of an audit trail entry. */
export const EntryDetails = ({ entry, records }: { entry: AuditEntry } & Pick<ChangesProps, 'records'>) => (
  <div className={styles['details']}>
    {entry.changes.length > 0 && <Changes changes={entry.changes} records={records} />}
    <DefinitionList entries={listFacts(entry)} />
  </div>
)
