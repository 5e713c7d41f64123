import type { CallFigures } from '@patchbay/contract/shared/call-quality'
import type { ReactNode } from 'react'
import { ScreenLink } from '../../screen/links.tsx'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { countText as countNouns, type Nouns } from '../../ui/list-bar.tsx'
import styles from './quality.module.css'
import { countText, type Measure, measures } from './measures.ts'

interface CallsLinkProps {
  count: number
  /** The counted calls in the singular and the plural, for the accessible name of the link. */
  nouns: Nouns
  /** Says which calls are counted. */
  detail?: string
  search: CallSearch
}

export const attemptNouns: Nouns = ['attempt', 'attempts']

/** A number of calls that links to the list of those calls. */
export const CallsLink = ({ count, nouns, detail, search }: CallsLinkProps) =>
  count === 0 ? (
    '0'
  ) : (
    <ScreenLink
      to={recentCalls}
      search={search}
      aria-label={`${countNouns(count, count, nouns)}${detail === undefined ? '' : ` ${detail}`}`}
    >
      {countText(count)}
    </ScreenLink>
  )

export interface FiguresRow extends CallFigures {
  key: string
  /** Content of the first column. */
  name: ReactNode
  /** Describes the calls of the row, for the accessible names of its links. */
  description: string
  /** Filters of the call list that select the calls of the row. */
  search: CallSearch
}

/**
 * Returns the class that hides a column on narrow screens. ASR and NER are always shown, and the cards above show every
 * measure.
 */
const getColumnClass = (id: Measure['id']) => (id === 'asr' || id === 'ner' ? undefined : styles['least'])

/** A titled table that scrolls horizontally inside its section. */
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
  /** Header of the first column. */
  head: string
  rows: readonly FiguresRow[]
}

/** Table of call figures with one row per group. */
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
          <th key={id} scope="col" className={getColumnClass(id)}>
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
            <CallsLink count={row.attempts} nouns={attemptNouns} detail={row.description} search={row.search} />
          </td>
          <td className={styles['least']}>
            <CallsLink
              count={row.answered}
              nouns={['answered', 'answered']}
              detail={row.description}
              search={{ ...row.search, answered: 'true' }}
            />
          </td>
          {measures.map(({ id, text }) => (
            <td key={id} className={getColumnClass(id)}>
              {text(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </TablePart>
)
