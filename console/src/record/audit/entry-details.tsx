import type { AuditChange, AuditEntry } from '@patchbay/contract/audit-trail'
import { type DefinitionEntry, DefinitionList } from '../../ui/definition-list.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import styles from './entry-details.module.css'
import { fieldText, valueText } from './labels.ts'

const Value = ({ field, value }: { field: string; value: unknown }) => {
  const text = valueText(value, field)
  return text === undefined ? <span className={styles['none']}>nothing</span> : <Name>{text}</Name>
}

/** Old and new value of each field. A definition list, because it is displayed within a table row. */
export const Changes = ({ changes }: { changes: readonly AuditChange[] }) => (
  <dl className={styles['changes']}>
    {changes.map(({ field, before, after }) => (
      <div key={field} className={styles['change']}>
        <dt>{fieldText(field)}</dt>
        <dd>
          <span className="visually-hidden">before: </span>
          <Value field={field} value={before} />
        </dd>
        <dd>
          <span className={styles['arrow']} aria-hidden="true">
            →
          </span>
          <span className="visually-hidden">after: </span>
          <Value field={field} value={after} />
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
export const EntryDetails = ({ entry }: { entry: AuditEntry }) => (
  <div className={styles['details']}>
    {entry.changes.length > 0 && <Changes changes={entry.changes} />}
    <DefinitionList entries={listFacts(entry)} />
  </div>
)
