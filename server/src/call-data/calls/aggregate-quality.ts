import type { CallFigures } from '@patchbay/contract/call-quality'
import { maxListItems } from '@patchbay/contract/call-quality'
import { formatDay, noCalls } from '@patchbay/rules/calls/call-quality'
import { describeStatus, isBlockedStatus } from '@patchbay/rules/sip/statuses'
import type { CallTotals } from './quality.ts'

/**
 * Returns whether the network did its part: the call was answered, the called party was busy, did not answer, or does not
 * want calls of this caller, or the caller gave up. A refusal without a reason (603) can come from a network or a filter.
 */
export const isDelivered = (answered: boolean, sip_status: number): boolean =>
  answered || describeStatus(sip_status).isDelivered

/** Totals of calls with the same outcome. */
export interface Cell {
  answered: boolean
  /** 0 if unknown. */
  sip_status: number
  calls: number
  seconds: number
  pdd_calls: number
  pdd_milliseconds: number
}

const addCell = (figures: CallFigures, cell: Cell): CallFigures => ({
  attempts: figures.attempts + cell.calls,
  answered: figures.answered + (cell.answered ? cell.calls : 0),
  delivered: figures.delivered + (isDelivered(cell.answered, cell.sip_status) ? cell.calls : 0),
  blocked: figures.blocked + (!cell.answered && isBlockedStatus(cell.sip_status) ? cell.calls : 0),
  seconds: figures.seconds + cell.seconds,
  pdd_calls: figures.pdd_calls + cell.pdd_calls,
  pdd_milliseconds: figures.pdd_milliseconds + cell.pdd_milliseconds,
})

const sumBy = <C extends Cell, Key>(cells: readonly C[], getKey: (cell: C) => Key): [Key, CallFigures][] => {
  const sums = new Map<Key, CallFigures>()
  for (const cell of cells) sums.set(getKey(cell), addCell(sums.get(getKey(cell)) ?? noCalls, cell))
  return [...sums]
}

const sortByCallsDescending = <Name extends string>(name: Name, sums: readonly [string, CallFigures][]) =>
  sums
    .toSorted(([a, { attempts: few }], [b, { attempts: many }]) => many - few || (a < b ? -1 : 1))
    .slice(0, maxListItems)
    .map(([key, figures]) => ({ [name]: key, ...figures }) as Record<Name, string> & CallFigures)

/** Cells by dimension. The cells of `days` also provide the overall totals. */
export interface Cells {
  days: readonly (Cell & { day: number })[]
  trunks: readonly (Cell & { trunk: string })[]
  directions: readonly (Cell & { direction: string })[]
  accounts: readonly (Cell & { account_sid: string })[]
}

/**
 * Sums the cells of a period to a report: totals, by day in chronological order, and by trunk, direction, and account
 * with the most calls first.
 */
export const toCallQuality = ({ days, trunks, directions, accounts }: Cells): CallTotals => ({
  total: days.reduce(addCell, noCalls),
  days: sumBy(days, ({ day }) => day)
    .toSorted(([a], [b]) => a - b)
    .map(([day, figures]) => ({ day: formatDay(day), ...figures })),
  trunks: sortByCallsDescending(
    'trunk',
    sumBy(trunks, ({ trunk }) => trunk),
  ),
  directions: sortByCallsDescending(
    'direction',
    sumBy(directions, ({ direction }) => direction),
  ),
  accounts: sortByCallsDescending(
    'account_sid',
    sumBy(accounts, ({ account_sid }) => account_sid),
  ),
  statuses: sumBy(
    days.filter(({ answered }) => !answered),
    ({ sip_status }) => sip_status,
  )
    .map(([sip_status, { attempts }]) => ({ sip_status, calls: attempts }))
    .toSorted((a, b) => b.calls - a.calls || a.sip_status - b.sip_status),
})
