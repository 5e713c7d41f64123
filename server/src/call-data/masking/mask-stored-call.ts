import { setImmediate as nextTick } from 'node:timers/promises'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { AgentEventContent } from '@patchbay/contract/conversation-events'
import type { MaskingRules } from '@patchbay/contract/masking-rules'
import type { Database } from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import type { Calls } from '../calls/calls.ts'
import { allTime } from '../calls/search-options.ts'
import { orderByTime } from '../logs/log-lines.ts'
import type { Masking } from './masking.ts'

/**
 * Masks what is stored of a call, some seconds after its end: texts whose account was unknown when they arrived, and card
 * numbers that are spread over several deliveries. Data in ClickHouse is not changed, because it is masked when it is read.
 */

interface StoredParts {
  table: 'patchbay_trace_parts' | 'patchbay_log_parts'
  column: 'trace_id' | 'call_id'
  id: string
}

/** Larger parts are not stored. */
const maxPartBytes = 16 * 1024 * 1024

/** Parts of a call. Later ones are masked only when they are read. */
const maxParts = 200
/** Bytes of the parts that are masked together. */
const maxBytesTogether = 32 * 1024 * 1024

interface ReadPart<Item> {
  part_key: string
  text: string
  items: Item[]
}

type MaskItems<Item> = (items: readonly Item[]) => Promise<Item[]>

const maskTogether = async <Item>(
  { db }: Pick<Database, 'db'>,
  { table, column, id }: StoredParts,
  parts: readonly ReadPart<Item>[],
  mask: MaskItems<Item>,
): Promise<void> => {
  const masked = await mask(parts.flatMap(({ items }) => items))
  let end = 0
  for (const { part_key, text, items } of parts) {
    const start = end
    end += items.length
    const own = masked.slice(start, end)
    if (JSON.stringify(own) === text) continue
    // The key remains that of the data as it arrived, so that a repeated delivery is recognized.
    const { content } = await gzipJson(own)
    await db.updateTable(table).set({ content }).where(column, '=', id).where('part_key', '=', part_key).execute()
  }
}

const maskParts = async <Item>(
  { db }: Pick<Database, 'db'>,
  stored: StoredParts,
  mask: MaskItems<Item>,
): Promise<void> => {
  const { table, column, id } = stored
  const selected = db.selectFrom(table).select('part_key').where(column, '=', id)
  const keys = await selected.orderBy('received_at').orderBy('part_key').limit(maxParts).execute()
  let together: ReadPart<Item>[] = []
  let bytes = 0
  for (const { part_key } of keys) {
    const part = db.selectFrom(table).select('content').where(column, '=', id).where('part_key', '=', part_key)
    const row = await part.executeTakeFirst()
    if (row === undefined) continue
    const text = (await unpackedText(row.content, maxPartBytes)).toString('utf8')
    if (bytes > 0 && bytes + text.length > maxBytesTogether) {
      await maskTogether({ db }, stored, together, mask)
      together = []
      bytes = 0
    }
    together.push({ part_key, text, items: JSON.parse(text) as Item[] })
    bytes += text.length
    await nextTick()
  }
  if (together.length > 0) await maskTogether({ db }, stored, together, mask)
}

/** Masks the stored events of an agent again, because a card number can be spread over several deliveries. */
export const maskStoredEvents = async (
  { database: { db }, masking }: { database: Pick<Database, 'db'>; masking: Masking },
  { account_sid, call_sid }: Omit<MaskedCall, 'trace_id'>,
): Promise<void> => {
  const ofCall = { account_sid, call_sid }
  const rows = await db
    .selectFrom('patchbay_agent_events')
    .select(['seq', 'content'])
    .where(({ and }) => and(ofCall))
    .orderBy('seq')
    .execute()
  if (rows.length === 0) return
  const events = rows.map(({ content }) => JSON.parse(content) as AgentEventContent)
  const masked = await masking.maskEvents(await masking.findRules({ account_sid }), events, 'store')
  for (const [at, { seq, content: before }] of rows.entries()) {
    const content = JSON.stringify(masked[at] ?? {})
    if (content === before) continue
    const update = db.updateTable('patchbay_agent_events').set({ content, size: content.length })
    await update.where(({ and }) => and({ ...ofCall, seq })).execute()
  }
}

interface MaskedCall {
  account_sid: string
  call_sid: string
  trace_id: string | undefined
}

/** Returns whether rules mask the same texts. */
const isSame = (one: MaskingRules, other: MaskingRules): boolean => {
  const toText = ({ card_numbers, pressed_digits, patterns }: MaskingRules) =>
    JSON.stringify({ card_numbers, pressed_digits, patterns })
  return toText(one) === toText(other)
}

/**
 * Masks the spans and log lines that are stored of a call by the rules of its provider, unless calls of other accounts have
 * the same IDs.
 * @param isMasked whether what was read of the call is masked. Otherwise, nothing is masked in what is stored, either
 */
export const maskStoredCall = async (
  { database, calls, masking }: { database: Database; calls: Calls; masking: Masking },
  { account_sid, call_sid, trace_id }: MaskedCall,
  isMasked: boolean,
): Promise<void> => {
  const rules = await masking.findRules({ account_sid })
  if (!isMasked && isSame(rules, await masking.rules.ofUnknownAccount())) return
  const isShared = async (id: { trace_id: string } | { call_sid: string }): Promise<boolean> =>
    (await calls.findForeign({ account_sid }, [id], allTime)).flat().length > 0
  if (trace_id !== undefined && !(await isShared({ trace_id })))
    await maskParts<ResourceSpans>(
      database,
      { table: 'patchbay_trace_parts', column: 'trace_id', id: trace_id },
      (spans) => masking.maskSpans(rules, spans, 'store'),
    )
  if (!(await isShared({ call_sid })))
    await maskParts<string>(
      database,
      { table: 'patchbay_log_parts', column: 'call_id', id: call_sid },
      async (lines) => {
        const order = orderByTime(lines)
        const ordered = order.map((at) => lines[at] ?? '')
        const masked = await masking.maskLog(rules, ordered, 'store')
        const byPosition = new Map(order.map((at, index) => [at, masked[index]]))
        return lines.map((line, at) => byPosition.get(at) ?? line)
      },
    )
}
