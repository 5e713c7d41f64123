import { type Database, insertNew, inTransaction } from '../../database/engine.ts'
import { packed, unpacked } from '../../database/packed.ts'
import type { LogLine, Logs, LogSink } from './logs.ts'

/** What a call logs without end is read as far as this. */
const mostParts = 2000

const byCall = (lines: readonly LogLine[]): Map<string, string[]> => {
  const calls = new Map<string, string[]>()
  for (const { call_id, text } of lines) {
    const known = calls.get(call_id)
    if (known === undefined) calls.set(call_id, [text])
    else known.push(text)
  }
  return calls
}

/** Epoch milliseconds, as the platform's programs write them; a line without a time stays behind the one before it. */
const inTime = (lines: readonly string[]): string[] => {
  let last = 0
  const timed = lines.map((text) => {
    last = Number(/"time":\s*(\d{13})\b/.exec(text)?.[1] ?? last)
    return { text, time: last }
  })
  return timed.toSorted((a, b) => a.time - b.time).map(({ text }) => text)
}

/** Log lines in our own table, those of one call in one delivery packed into a row. */
export const createSqlLogs = (database: Database, now: () => number = Date.now): Logs & LogSink => ({
  async read({ call_sid, sip_callid }) {
    const ids = [call_sid, sip_callid].filter((id) => id !== null)
    if (ids.length === 0) return []
    const parts = await database.reader
      .selectFrom('patchbay_log_parts')
      .select('content')
      .where('call_id', 'in', ids)
      .orderBy('received_at')
      .limit(mostParts)
      .execute()
    return inTime((await Promise.all(parts.map(({ content }) => unpacked<string[]>(content)))).flat())
  },

  async store(lines) {
    const received_at = now()
    const rows = await Promise.all(
      [...byCall(lines)].map(async ([call_id, texts]) => ({ call_id, received_at, ...(await packed(texts)) })),
    )
    await inTransaction(database, (trx) => insertNew(trx, database.engine, 'patchbay_log_parts', rows))
  },
})
