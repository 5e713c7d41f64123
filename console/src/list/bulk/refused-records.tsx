import type { ReactNode } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { formatCount } from '../../ui/format/text.ts'
import styles from './outcome.module.css'

/** Records beyond this number are only counted. */
const maxListed = 100

interface RefusedRecordsProps<Row> {
  label: string
  title: string
  records: readonly Row[]
  explain: (record: Row) => ReactNode
}

/** Lists the records that a change will leave as they are, with the reasons. */
export const RefusedRecords = <Row extends { sid: string; name: string | null }>({
  label,
  title,
  records,
  explain,
}: RefusedRecordsProps<Row>) => (
  <>
    <Banner tone="warn">{title}</Banner>
    <ul className={styles['list']} aria-label={label}>
      {records.slice(0, maxListed).map((record) => (
        <li key={record.sid}>
          <bdi>{record.name ?? record.sid}</bdi>: {explain(record)}
        </li>
      ))}
      {records.length > maxListed && <li>and {formatCount(records.length - maxListed)} more</li>}
    </ul>
  </>
)
