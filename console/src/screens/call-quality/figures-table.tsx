import type { CallFigures } from '@patchbay/contract/shared/call-quality'
import type { ReactNode } from 'react'
import { ScreenLink } from '../../screen/links.tsx'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import styles from './quality.module.css'
import { countText, type Measure, measures } from './measures.ts'

interface CallsLinkProps {
  count: number
  /** of which, for assistive technology */
  what: string
  search: CallSearch
}

/** A number of calls, which leads to them. */
export const CallsLink = ({ count, what, search }: CallsLinkProps) =>
  count === 0 ? (
    '0'
  ) : (
    <ScreenLink to={recentCalls} search={search} aria-label={`${countText(count)} ${what}`}>
      {countText(count)}
    </ScreenLink>
  )

export interface FiguresRow extends CallFigures {
  key: string
  /** what stands in the first column */
  name: ReactNode
  /** of the calls, in words */
  of: string
  /** where the calls of the row are */
  search: CallSearch
}

/** A phone has room for the ratios; above the tables all are told. */
const lookOf = (id: Measure['id']) => (id === 'asr' || id === 'ner' ? undefined : styles['least'])

/** A table with its title, which scrolls within itself. */
export const TablePart = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles['part']}>
    <h2>{title}</h2>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label={title}>
      <table className={styles['table']} aria-label={title}>
        {children}
      </table>
    </div>
  </section>
)

interface FiguresTableProps {
  title: string
  /** head of the first column */
  head: string
  rows: readonly FiguresRow[]
}

/** Figures of several groups of calls, beside one another. */
export const FiguresTable = ({ title, head, rows }: FiguresTableProps) => (
  <TablePart title={title}>
    <thead>
      <tr>
        <th scope="col">{head}</th>
        <th scope="col">Attempts</th>
        <th scope="col" className={styles['least']}>
          Answered
        </th>
        {measures.map(({ id, short, name }) => (
          <th key={id} scope="col" className={lookOf(id)}>
            <abbr title={name}>{short}</abbr>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">{row.name}</th>
          <td>
            <CallsLink count={row.attempts} what={`attempts ${row.of}`} search={row.search} />
          </td>
          <td className={styles['least']}>
            <CallsLink count={row.answered} what={`answered ${row.of}`} search={{ ...row.search, answered: 'true' }} />
          </td>
          {measures.map(({ id, text }) => (
            <td key={id} className={lookOf(id)}>
              {text(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </TablePart>
)
