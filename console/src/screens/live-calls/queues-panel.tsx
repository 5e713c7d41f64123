import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import styles from './live-calls.module.css'
import { conferencesQuery, queuesQuery } from './queries.ts'

/** Names beyond this number are only counted. The longest queues come first. */
const maxNamed = 12

interface NamesProps {
  label: string
  names: readonly { name: string; after?: ReactNode }[]
}

const Names = ({ label, names }: NamesProps) => (
  <div className={styles['group']}>
    <h2 className={styles['label']}>{label}</h2>
    <ul className={styles['names']} aria-label={label}>
      {names.slice(0, maxNamed).map(({ name, after }, index) => (
        // A name ends after its last colon, so two names can be equal.
        <li key={`${index} ${name}`}>
          <Name>{name}</Name>
          {after}
        </li>
      ))}
      {names.length > maxNamed && <li>and {formatCount(names.length - maxNamed)} more</li>}
    </ul>
  </div>
)

/** Shows the queues and conferences of an account, or nothing if there are none. */
export const Waiting = ({ account_sid }: { account_sid: string }) => {
  const queues = useQuery(queuesQuery(account_sid))
  const conferences = useQuery(conferencesQuery(account_sid))
  const longest = (queues.data ?? []).toSorted((one, other) => other.length - one.length)
  const named = conferences.data ?? []
  const failed = queues.isError || conferences.isError
  if (longest.length === 0 && named.length === 0 && !failed) return null
  return (
    <section className={styles['waiting']} aria-label="Queues and conferences">
      {longest.length > 0 && (
        <Names
          label="Queues"
          names={longest.map(({ name, length }) => ({
            name,
            after: <span className={styles['count']}>{formatCount(length)} waiting</span>,
          }))}
        />
      )}
      {named.length > 0 && <Names label="Conferences" names={named.map((name) => ({ name }))} />}
      {failed && <p className={styles['label']}>Queues and conferences could not be loaded.</p>}
    </section>
  )
}
