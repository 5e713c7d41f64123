import type { CallFigures } from '@patchbay/contract/call-quality'
import type { ReactNode } from 'react'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { FigureTable, wideOnly } from '../../ui/figure-table.tsx'
import { countText, formatCount, type Nouns } from '../../ui/format/text.ts'
import { type Measure, measures } from './measures.ts'

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
      aria-label={`${countText(count, count, nouns)}${detail === undefined ? '' : ` ${detail}`}`}
    >
      {formatCount(count)}
    </ScreenLink>
  )

export interface FiguresRow extends CallFigures {
  key: string
  /** Content of the first column. */
  name: ReactNode
  /** Describes the calls of the row, for the accessible names of its links. */
  description: string
  /** Filters of the call list that select the calls of the row. Undefined if none does. */
  search: CallSearch | undefined
}

/**
 * Returns the class that hides a column on narrow screens. They have space for ASR, and for NER or the blocked calls. The
 * cards above show every measure.
 */
const getColumnClass = (id: Measure['id'], hasBlocked: boolean) =>
  id === 'asr' || (id === 'ner' && !hasBlocked) ? undefined : wideOnly

interface FiguresTableProps {
  title: string
  /** Header of the first column. */
  head: string
  rows: readonly FiguresRow[]
  /** Adds a column with the number of blocked calls. */
  hasBlocked?: boolean
}

/** Table of call figures with one row per group. */
export const FiguresTable = ({ title, head, rows, hasBlocked = false }: FiguresTableProps) => (
  <FigureTable title={title}>
    <thead>
      <tr>
        <th scope="col">{head}</th>
        <th scope="col">Attempts</th>
        <th scope="col" className={wideOnly}>
          Answered
        </th>
        {measures.map(({ id, short, name }) => (
          <th key={id} scope="col" className={getColumnClass(id, hasBlocked)}>
            <abbr title={name}>{short}</abbr>
          </th>
        ))}
        {hasBlocked && <th scope="col">Blocked</th>}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">{row.name}</th>
          <td>
            {row.search === undefined ? (
              formatCount(row.attempts)
            ) : (
              <CallsLink count={row.attempts} nouns={attemptNouns} detail={row.description} search={row.search} />
            )}
          </td>
          <td className={wideOnly}>
            {row.search === undefined ? (
              formatCount(row.answered)
            ) : (
              <CallsLink
                count={row.answered}
                nouns={['answered', 'answered']}
                detail={row.description}
                search={{ ...row.search, answered: 'true' }}
              />
            )}
          </td>
          {measures.map(({ id, text }) => (
            <td key={id} className={getColumnClass(id, hasBlocked)}>
              {text(row)}
            </td>
          ))}
          {hasBlocked && <td>{formatCount(row.blocked)}</td>}
        </tr>
      ))}
    </tbody>
  </FigureTable>
)
