import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import type { Calls } from '../calls/calls.ts'
import { allTime } from '../calls/search-options.ts'
import type { ResourceSpans } from '../traces/traces.ts'
import type { Masking } from './masking.ts'

/**
 * Masks stored spans and log lines of a call whose account was unknown when they arrived: with several providers, only
 * card numbers were masked then. Data in ClickHouse is not changed, because it is masked when it is read.
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

const maskParts = async <Item>(
  { db }: Pick<Database, 'db'>,
  { table, column, id }: StoredParts,
  mask: (items: readonly Item[]) => Promise<Item[]>,
): Promise<void> => {
  const parts = await db.selectFrom(table).select('part_key').where(column, '=', id).limit(maxParts).execute()
  for (const { part_key } of parts) {
    const part = db.selectFrom(table).select('content').where(column, '=', id).where('part_key', '=', part_key)
    const row = await part.executeTakeFirst()
    if (row === undefined) continue
    const text = (await unpackedText(row.content, maxPartBytes)).toString('utf8')
    const masked = await mask(JSON.parse(text) as Item[])
    if (JSON.stringify(masked) !== text) {
      // The key remains that of the data as it arrived, so that a repeated delivery is recognized.
      const { content } = await gzipJson(masked)
      await db.updateTable(table).set({ content }).where(column, '=', id).where('part_key', '=', part_key).execute()
    }
    await nextTick()
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

/** Masks what is stored of a call by the rules of its provider, unless calls of other accounts have the same IDs. */
export const maskStoredCall = async (
  { database, calls, masking }: { database: Database; calls: Calls; masking: Masking },
  { account_sid, call_sid, trace_id }: MaskedCall,
): Promise<void> => {
  const rules = await masking.findRules({ account_sid })
  if (isSame(rules, await masking.rules.ofUnknownAccount())) return
  const isShared = async (id: { trace_id: string } | { call_sid: string }): Promise<boolean> =>
    (await calls.findForeign({ account_sid }, [id], allTime)).flat().length > 0
  if (trace_id !== undefined && !(await isShared({ trace_id })))
    await maskParts<ResourceSpans>(
      database,
      { table: 'patchbay_trace_parts', column: 'trace_id', id: trace_id },
      (spans) => masking.maskSpans(rules, spans, 'store'),
    )
  if (!(await isShared({ call_sid })))
    await maskParts<string>(database, { table: 'patchbay_log_parts', column: 'call_id', id: call_sid }, (lines) =>
      masking.maskLines(rules, lines, 'store'),
    )
}
