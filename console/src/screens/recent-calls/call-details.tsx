import type { Call } from '@patchbay/contract/recent-calls'
import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Duration } from '../../ui/duration.tsx'
import { jsonOf } from '../../ui/json.ts'
import { PhoneNumber } from '../../ui/phone-number.tsx'
import { Name } from '../../ui/reference.tsx'
import { DateTime } from '../../ui/time.tsx'
import styles from './call-details.module.css'
import { type Fact, factsOf } from './call-facts.ts'

const textOf = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const Value = ({ kind, value }: Fact): ReactNode => {
  const text = textOf(value)
  if (kind === 'time' && typeof value === 'string') return <DateTime iso={value} />
  if (kind === 'duration' && typeof value === 'number') return <Duration seconds={value} />
  if (kind === 'number') return <PhoneNumber value={text} />
  return <Name>{text}</Name>
}

/** What is known of a call, in words and groups; what is missing folded, and the record as it is one press away. */
export const CallDetails = ({ call }: { call: Call }) => {
  const { known, unknown } = factsOf(call)
  const raw = jsonOf(call)
  return (
    <div className={styles['details']}>
      {known.map(({ title, facts }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <DefinitionList
            entries={facts.map((fact) => [
              fact.label,
              <Value key={fact.name} {...fact} />,
              fact.kind === 'id' ? { mono: true, copy: textOf(fact.value) } : {},
            ])}
          />
        </section>
      ))}
      <div className={styles['folded']}>
        {unknown.length > 0 && (
          <details>
            <summary>{unknown.length === 1 ? '1 empty field' : `${unknown.length} empty fields`}</summary>
            <p>{unknown.join(', ')}</p>
          </details>
        )}
        <details>
          <summary>Raw record</summary>
          <pre>{raw}</pre>
          <CopyButton value={raw} label="Copy the raw record" shown="Raw record" />
        </details>
      </div>
    </div>
  )
}
