import { type Database, insertNew, inTransaction } from '../../database/engine.ts'
import { packed, unpacked } from '../../database/packed.ts'
import { delaysIn, keepDelays } from './call-delays.ts'
import type { ResourceSpans, Traces, TraceSink } from './traces.ts'

/** A trace has a few parts a call; one that never ends is read as far as this. */
const mostParts = 2000

export const createSqlTraces = (database: Database, now: () => number = Date.now): Traces & TraceSink => ({
  async read(trace_id) {
    const parts = await database.reader
      .selectFrom('patchbay_trace_parts')
      .select('content')
      .where('trace_id', '=', trace_id)
      .limit(mostParts)
      .execute()
    if (parts.length === 0) return undefined
    const all = await Promise.all(parts.map(({ content }) => unpacked<ResourceSpans[]>(content)))
    return { resourceSpans: all.flat() }
  },

  async store(deliveries) {
    const received_at = now()
    const rows = await Promise.all(
      deliveries.map(async ({ trace_id, resourceSpans }) => ({
        trace_id,
        received_at,
        ...(await packed(resourceSpans)),
      })),
    )
    const delays = delaysIn(deliveries.flatMap(({ resourceSpans }) => resourceSpans))
    await inTransaction(database, async (trx) => {
      await insertNew(trx, database.engine, 'patchbay_trace_parts', rows)
      await keepDelays(trx, database.engine, delays, received_at)
    })
  },
})
