import type { ReactNode } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { formatCount } from '../../ui/format/text.ts'
import styles from './outcome.module.css'

/** Records beyond this number are only counted. */
const maxListed = 100

interface ListedRecordsProps<Row> {
  label: string
  title: string
  records: readonly Row[]
  explain: (record: Row) => ReactNode
}

/** Lists the records of a change that the user has to know about, such as those that it leaves as they are. */
export const ListedRecords = <Row extends { sid: string; name: string | null }>({
  label,
  title,
  records,
  explain,
}: ListedRecordsProps<Row>) => (
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
