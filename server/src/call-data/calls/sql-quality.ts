import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type Cell, toCallQuality } from './aggregate-quality.ts'
import type { QualitySearch, QualityTotals } from './quality.ts'
import { maxSearchesPerTenant, ownerColumn } from './search-options.ts'

const toCell = (row: Record<keyof Cell, number | string>): Cell => ({
  answered: Number(row.answered) === 1,
  sip_status: Number(row.sip_status),
  // MySQL sums in a decimal, which its driver returns as a string.
  calls: Number(row.calls),
  seconds: Number(row.seconds),
  pdd_calls: Number(row.pdd_calls),
  pdd_milliseconds: Number(row.pdd_milliseconds),
})

/** Reads sums by a column, for one owner or for the accounts of a provider. */
const queryCellsBy = async <Column extends 'day' | 'trunk' | 'direction' | 'owner_sid'>(
  { reader }: Database,
  column: Column,
  { owner, from, until, trunk, direction }: QualitySearch,
) => {
  const ownerFilterColumn = column === 'owner_sid' ? ('provider_sid' as const) : ('owner_sid' as const)
  const rows = await reader
    .selectFrom('patchbay_call_days')
    .select(({ fn, ref }) => [
      ref(column).as('key'),
      'sip_status',
      'answered',
      fn.sum<number | string>('calls').as('calls'),
      fn.sum<number | string>('seconds').as('seconds'),
      fn.sum<number | string>('pdd_calls').as('pdd_calls'),
      fn.sum<number | string>('pdd_milliseconds').as('pdd_milliseconds'),
    ])
    .where(ownerFilterColumn, '=', ownerColumn(owner)[1])
    .where('day', '>=', from)
    .where('day', '<=', until)
    .$if(trunk !== undefined, (query) => query.where('trunk', '=', trunk ?? ''))
    .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? ''))
    .groupBy(['key', 'sip_status', 'answered'])
    .execute()
  return rows.map((row) => ({ key: row.key, ...toCell(row) }))
}

/** Creates call quality reports from the daily sums that are stored with the calls. */
export const createSqlQuality = (database: Database): QualityTotals => {
  const queue = createFairQueue({
    name: 'call_quality',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  const read = async (search: QualitySearch) => {
    const [days, trunks, directions, accounts] = await Promise.all([
      queryCellsBy(database, 'day', search),
      queryCellsBy(database, 'trunk', search),
      queryCellsBy(database, 'direction', search),
      'account_sid' in search.owner ? [] : queryCellsBy(database, 'owner_sid', search),
    ])
    return toCallQuality({
      days: days.map(({ key, ...cell }) => ({ ...cell, day: key })),
      trunks: trunks.map(({ key, ...cell }) => ({ ...cell, trunk: key })),
      directions: directions.map(({ key, ...cell }) => ({ ...cell, direction: key })),
      accounts: accounts.map(({ key, ...cell }) => ({ ...cell, account_sid: key })),
    })
  }
  return {
    getTotals: (search, { owner, signal } = { owner: 'patchbay' }) =>
      queue.run(owner, (runStep) => runStep(() => read(search)), signal),
  }
}
