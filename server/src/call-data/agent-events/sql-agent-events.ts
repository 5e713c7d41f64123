import { setImmediate as nextTick } from 'node:timers/promises'
import type { AgentEventContent, AgentEventEnvelope } from '@patchbay/contract/conversation-events'
import type { AgentEvent } from '@patchbay/rules/conversations/agent-events'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import type { AgentEvents } from './agent-events.ts'

/** Limits for the events of a call. A conversation of two hours has about 2,000 turns. Excess events are dropped. */
export const storeLimits = { events: 5000, characters: 4 * 1024 * 1024 }

/** Number of events to read from the database per query. */
const batchSize = 500

/** Returns the number and the size of the stored events of calls. */
const readSums = async ({ reader }: Database, account_sid: string, calls: readonly string[]) => {
  const rows = await reader
    .selectFrom('patchbay_agent_events')
    .select(['call_sid'])
    .select(({ fn }) => [fn.countAll<number | string>().as('events'), fn.sum<number | string>('size').as('characters')])
    .where('account_sid', '=', account_sid)
    .where('call_sid', 'in', calls)
    .groupBy('call_sid')
    .execute()
  return new Map(
    rows.map(({ call_sid, events, characters }) => [
      call_sid,
      { events: Number(events), characters: Number(characters) },
    ]),
  )
}

const toRow = ({ event, ...envelope }: AgentEventEnvelope, account_sid: string, received_at: number) => {
  const content = JSON.stringify(event)
  return { account_sid, ...envelope, received_at, size: content.length, content }
}
type EventRow = ReturnType<typeof toRow>

/** Returns the rows of calls that have not reached the limits. */
const withinLimits = async (
  database: Database,
  account_sid: string,
  rows: readonly EventRow[],
): Promise<EventRow[]> => {
  const sums = await readSums(database, account_sid, [...new Set(rows.map(({ call_sid }) => call_sid))])
  return rows.filter(({ call_sid, size }) => {
    const { events, characters } = sums.get(call_sid) ?? { events: 0, characters: 0 }
    if (events >= storeLimits.events || characters + size > storeLimits.characters) return false
    sums.set(call_sid, { events: events + 1, characters: characters + size })
    return true
  })
}

/** Creates the store of agent events in Patchbay's own table. */
export const createSqlAgentEvents = (database: Database, now: () => number = Date.now): AgentEvents => ({
  async store(account_sid, events) {
    if (events.length === 0) return { stored: 0, repeated: 0, dropped: 0 }
    const received_at = now()
    const rows = events.map((event) => toRow(event, account_sid, received_at))
    const accepted = await withinLimits(database, account_sid, rows)
    const inserted = await inTransaction(database, (trx) =>
      insertIgnoringDuplicates(trx, database.engine, 'patchbay_agent_events', accepted),
    )
    const stored = inserted.length
    return { stored, repeated: accepted.length - stored, dropped: rows.length - accepted.length }
  },

  async findNew(account_sid, events) {
    if (events.length === 0) return []
    const toKey = ({ call_sid, seq }: { call_sid: string; seq: number }) => `${call_sid} ${seq}`
    const rows = await database.db
      .selectFrom('patchbay_agent_events')
      .select(['call_sid', 'seq'])
      .where('account_sid', '=', account_sid)
      .where('call_sid', 'in', [...new Set(events.map(({ call_sid }) => call_sid))])
      .where('seq', 'in', [...new Set(events.map(({ seq }) => seq))])
      .execute()
    const keys = new Set(rows.map(toKey))
    return events.filter((event) => !keys.has(toKey(event)))
  },

  async read(account_sid, call_sid) {
    const events: AgentEvent[] = []
    let after = -1
    while (events.length < storeLimits.events) {
      const rows = await database.reader
        .selectFrom('patchbay_agent_events')
        .select(['seq', 'at', 'content'])
        .where('account_sid', '=', account_sid)
        .where('call_sid', '=', call_sid)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(batchSize)
        .execute()
      for (const { seq, at, content } of rows) events.push({ seq, at, event: JSON.parse(content) as AgentEventContent })
      after = events.at(-1)?.seq ?? after
      if (rows.length < batchSize) break
      // Parsing a batch takes a few milliseconds. Other requests run in between.
      await nextTick()
    }
    return events
  },
})
