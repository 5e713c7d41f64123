import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { maxSearchesPerTenant, ownerColumn } from './search-options.ts'
import type { Quality, QualitySearch } from './quality.ts'
import { type Cell, toCallQuality } from './aggregate-quality.ts'

const cellOf = (row: Record<keyof Cell, number | string>): Cell => ({
  answered: Number(row.answered) === 1,
  sip_status: Number(row.sip_status),
  // MySQL sums in a decimal, which its driver gives as text.
  calls: Number(row.calls),
  seconds: Number(row.seconds),
  pdd_calls: Number(row.pdd_calls),
  pdd_milliseconds: Number(row.pdd_milliseconds),
})

/** Sums by a column, of the rows of an owner or of the accounts of a provider. */
const cellsBy = async <Column extends 'day' | 'trunk' | 'direction' | 'owner_sid'>(
  { reader }: Database,
  column: Column,
  { owner, from, until, trunk, direction }: QualitySearch,
) => {
  const whose = column === 'owner_sid' ? ('provider_sid' as const) : ('owner_sid' as const)
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
    .where(whose, '=', ownerColumn(owner)[1])
    .where('day', '>=', from)
    .where('day', '<=', until)
    .$if(trunk !== undefined, (query) => query.where('trunk', '=', trunk ?? ''))
    .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? ''))
    .groupBy(['key', 'sip_status', 'answered'])
    .execute()
  return rows.map((row) => ({ key: row.key, ...cellOf(row) }))
}

/** From the sums that are kept with the calls. */
export const createSqlQuality = (database: Database): Quality => {
  const queue = createFairQueue({ concurrency: database.concurrency.reads, max: maxSearchesPerTenant })
  const read = async (search: QualitySearch) => {
    const [days, trunks, directions, accounts] = await Promise.all([
      cellsBy(database, 'day', search),
      cellsBy(database, 'trunk', search),
      cellsBy(database, 'direction', search),
      'account_sid' in search.owner ? [] : cellsBy(database, 'owner_sid', search),
    ])
    return toCallQuality({
      days: days.map(({ key, ...cell }) => ({ ...cell, day: key })),
      trunks: trunks.map(({ key, ...cell }) => ({ ...cell, trunk: key })),
      directions: directions.map(({ key, ...cell }) => ({ ...cell, direction: key })),
      accounts: accounts.map(({ key, ...cell }) => ({ ...cell, account_sid: key })),
    })
  }
  return {
    of: (search, { owner, signal } = { owner: 'patchbay' }) =>
      queue.run(owner, (runStep) => runStep(() => read(search)), signal),
  }
}
