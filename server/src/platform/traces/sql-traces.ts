import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Database, insertNew, inTransaction } from '../../database/engine.ts'
import type { ResourceSpans, Traces, TraceSink } from './traces.ts'

/** A trace has a few parts a call; one that never ends is read as far as this. */
const mostParts = 2000

const packed = async (resourceSpans: readonly ResourceSpans[]) => {
  const text = JSON.stringify(resourceSpans)
  return { part_key: createHash('sha256').update(text).digest('hex'), content: await promisify(gzip)(text) }
}

const unpacked = async (content: Uint8Array): Promise<ResourceSpans[]> =>
  JSON.parse((await promisify(gunzip)(content)).toString('utf8')) as ResourceSpans[]

export const createSqlTraces = (database: Database, now: () => number = Date.now): Traces & TraceSink => ({
  async read(trace_id) {
    const parts = await database.reader
      .selectFrom('patchbay_trace_parts')
      .select('content')
      .where('trace_id', '=', trace_id)
      .limit(mostParts)
      .execute()
    if (parts.length === 0) return undefined
    const all = await Promise.all(parts.map(({ content }) => unpacked(content)))
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
    await inTransaction(database, (trx) => insertNew(trx, database.engine, 'patchbay_trace_parts', rows))
  },
})
