import type { ReactNode } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { DefinitionList } from '../ui/definition-list.tsx'
import { Duration } from '../ui/format/duration.tsx'
import { formatJson } from '../ui/format/json.ts'
import { PhoneNumber } from '../ui/format/phone-number.tsx'
import { Name } from '../ui/format/reference.tsx'
import { DateTime } from '../ui/format/time.tsx'
import styles from './record-details.module.css'
import { type DetailField, type DetailLayout, toDetailGroups } from './record-fields.ts'

const formatValue = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const Value = ({ kind, value }: DetailField): ReactNode => {
  const text = formatValue(value)
  if (kind === 'time' && typeof value === 'string') return <DateTime iso={value} />
  if (kind === 'duration' && typeof value === 'number') return <Duration seconds={value} />
  if (kind === 'number') return <PhoneNumber value={text} />
  return <Name>{text}</Name>
}

interface RecordDetailsProps {
  record: object
  shape: DetailLayout
  /** Links to related records. */
  children?: ReactNode
}

/** All fields of a record in labeled groups. Empty fields are collapsed, and the raw record can be opened. */
export const RecordDetails = ({ record, shape, children }: RecordDetailsProps) => {
  const { detailGroups, unknown } = toDetailGroups(record, shape)
  const raw = formatJson(record)
  return (
    <div className={styles['details']}>
      {detailGroups.map(({ title, facts }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <DefinitionList
            entries={facts.map((fact) => [
              fact.label,
              <Value key={fact.name} {...fact} />,
              fact.kind === 'id' ? { mono: true, copy: formatValue(fact.value) } : {},
            ])}
          />
        </section>
      ))}
      <div className={styles['folded']}>
        {children}
        {unknown.length > 0 && (
          <details>
            <summary>{unknown.length === 1 ? '1 empty field' : `${unknown.length} empty fields`}</summary>
            <p>{unknown.join(', ')}</p>
          </details>
        )}
        <details>
          <summary>Raw record</summary>
          <pre>{raw}</pre>
          <CopyButton value={raw} label="Copy raw record" displayText="Raw record" />
        </details>
      </div>
    </div>
  )
}
