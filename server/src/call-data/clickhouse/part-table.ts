import { dayMs } from '@patchbay/contract/shared/durations'
import { type ClickHouse, quoteAll } from './clickhouse.ts'
import { receivedDay } from './schema.ts'
import { queryInHalves, type StoredTable } from './stored-table.ts'

/** Tables whose rows are the spans or lines of one delivery, which are read by an id. */

interface PartColumns {
  /** Milliseconds since the Unix epoch. */
  received_at: number
  /** SHA-256 of the content. A repeated delivery has the same key. */
  part_key: string
  /** The first account that the content names, or empty. */
  account_sid: string
  /** Number of spans or lines. */
  items: number
  /** Size of the content. */
  bytes: number
  /** JSON */
  content: string
}

export type PartRow<Id extends string> = PartColumns & Record<Id, string>

/** A table of parts, and the limits of what has the same id. */
export interface PartTable<Id extends string> {
  name: string
  id: Id
  /** Parts beyond these limits are not stored. */
  maxStored: { parts: number; bytes: number }
  /** Parts beyond these limits are not returned. */
  maxRead: { parts: number; items: number; bytes: number }
}

/** Memory per row in addition to its content. */
const columnBytes = 300

/** Senders repeat a delivery within minutes, so the comparison does not read older partitions. */
const repeatedWithinMs = dayMs

interface StoredSum {
  id: string
  parts: string
  bytes: string
  /** The keys among those that are searched. */
  keys: string[]
}

/** Returns the condition that selects the days that contain ids, for the partitions of a table. */
export const toDayCondition = (id: string, ids: readonly string[]): string => {
  const hashes = ids.map((value) => `cityHash64('${id}', ${quoteAll([value])})`)
  return `${receivedDay} IN (SELECT day FROM id_days WHERE id_hash IN (${hashes.join()}))`
}

/** Describes a table of parts to the writer. */
export const createPartTable = <Id extends string>({ name, id, maxStored }: PartTable<Id>) => {
  const toKey = (row: Pick<PartRow<Id>, Id | 'part_key'>): string => `${row[id]}\n${row.part_key}`
  return {
    name,
    toKey,
    measure: ({ content }: PartRow<Id>) => content.length + columnBytes,
    async compare(clickHouse: ClickHouse, rows: readonly PartRow<Id>[], signal?: AbortSignal) {
      const since = Math.min(...rows.map(({ received_at }) => received_at)) - repeatedWithinMs
      const sums = await queryInHalves(rows, (some) =>
        clickHouse.query<StoredSum>(
          `SELECT ${id} AS id, count() AS parts, sum(bytes) AS bytes,
             groupUniqArrayIf(part_key, part_key IN (${quoteAll(some.map(({ part_key }) => part_key))})) AS keys
           FROM ${name}
           WHERE ${id} IN (${quoteAll(new Set(some.map((row) => row[id])))}) AND received_at >= {since:Int64}
           GROUP BY id`,
          { since },
          signal,
        ),
      )
      const byId = new Map<string, { parts: number; bytes: number; keys: Set<string> }>()
      for (const { id: value, parts, bytes, keys } of sums) {
        // Rows of two queries can have the same id. The number and size of its parts are the same in their results.
        const before = byId.get(value)?.keys ?? []
        byId.set(value, { parts: Number(parts), bytes: Number(bytes), keys: new Set([...before, ...keys]) })
      }
      const missing: PartRow<Id>[] = []
      const excess: PartRow<Id>[] = []
      for (const row of rows) {
        const sum = byId.get(row[id]) ?? { parts: 0, bytes: 0, keys: new Set<string>() }
        if (sum.keys.has(row.part_key)) continue
        if (sum.parts >= maxStored.parts || sum.bytes >= maxStored.bytes) excess.push(row)
        else {
          missing.push(row)
          byId.set(row[id], { ...sum, parts: sum.parts + 1, bytes: sum.bytes + row.bytes })
        }
      }
      return { missing, excess }
    },
  } satisfies StoredTable<PartRow<Id>>
}

/** Returns the names of the parts that ClickHouse does not have, or whose content differs from its hash. */
export const findDifferentParts = async <Id extends string>(
  clickHouse: ClickHouse,
  { name, id }: Pick<PartTable<Id>, 'name' | 'id'>,
  rows: readonly PartRow<Id>[],
): Promise<string[]> => {
  const stored = await clickHouse.query<{ name: string }>(
    `SELECT concat(${id}, ' ', part_key, ' ', toString(received_at)) AS name FROM ${name}
     WHERE ${id} IN (${quoteAll(new Set(rows.map((row) => row[id])))})
       AND received_at IN (${[...new Set(rows.map(({ received_at }) => received_at))].join()})
       AND lower(hex(SHA256(content))) = part_key`,
    {},
  )
  const names = new Set(stored.map((row) => row.name))
  return rows.map((row) => `${row[id]} ${row.part_key} ${row.received_at}`).filter((row) => !names.has(row))
}

/** Maximum bytes of the contents that a query returns. A single part that is read alone can exceed it. */
const maxContentBytes = 1024 * 1024

type Listed = Pick<PartColumns, 'part_key' | 'items' | 'bytes' | 'content'> & { id: string }

/** The contents of the parts of an id. */
export interface Parts {
  /** Yields the contents in order of arrival. */
  contents: AsyncIterable<string>
  /** Whether there are more parts. */
  isCut: boolean
}

/** Divides parts into lists whose contents have up to `maxContentBytes` bytes. */
const divide = (parts: readonly Listed[]): Listed[][] => {
  const lists: Listed[][] = []
  let bytes = Infinity
  for (const part of parts) {
    bytes += part.bytes
    if (bytes > maxContentBytes) {
      lists.push([])
      bytes = part.bytes
    }
    lists.at(-1)?.push(part)
  }
  return lists
}

/** Returns the first parts within the limits. */
const takeFirst = (parts: readonly Listed[], max: PartTable<string>['maxRead']): Listed[] => {
  let [items, bytes] = [0, 0]
  const end = parts.findIndex((part, position) => {
    items += part.items
    bytes += part.bytes
    return position >= max.parts || items > max.items || bytes > max.bytes
  })
  return end === -1 ? [...parts] : parts.slice(0, end)
}

/**
 * Finds the parts of ids, within the limits of the table. Two processes can have stored the same part at the same time;
 * it is returned once.
 * @throws ApiError `unavailable` if ClickHouse fails
 */
export const findParts = async (
  clickHouse: ClickHouse,
  { name, id, maxRead }: PartTable<string>,
  ids: readonly string[],
): Promise<Parts> => {
  const conditions = `${id} IN (${quoteAll(ids)}) AND ${toDayCondition(id, ids)}`
  // The list comes with the first contents, which are all contents of most ids. A part that is too large for that has an
  // empty content in the list, like those after it.
  const all = await clickHouse.query<Listed>(
    `SELECT id, part_key, items, bytes, if(sum(bytes) OVER parts_until <= ${maxContentBytes}, content, '') AS content
     FROM (
       SELECT ${id} AS id, received_at, part_key, items, bytes, content FROM ${name} WHERE ${conditions}
       ORDER BY received_at, part_key LIMIT 1 BY id, part_key LIMIT ${maxRead.parts + 1}
     )
     WINDOW parts_until AS (ORDER BY received_at, part_key, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
     ORDER BY received_at, part_key, id`,
    {},
  )
  const found = takeFirst(all, maxRead)
  const withContent = found.filter(({ content }) => content !== '')
  const read = async function* () {
    yield* withContent.map(({ content }) => content)
    for (const list of divide(found.slice(withContent.length))) {
      const rows = await clickHouse.query<Pick<Listed, 'id' | 'part_key' | 'content'>>(
        `SELECT ${id} AS id, part_key, content FROM ${name}
         WHERE ${conditions} AND part_key IN (${quoteAll(list.map(({ part_key }) => part_key))})
         LIMIT 1 BY id, part_key`,
        {},
      )
      const contents = new Map(rows.map((row) => [`${row.id}\n${row.part_key}`, row.content]))
      // A part can have expired meanwhile.
      yield* list.flatMap((part) => contents.get(`${part.id}\n${part.part_key}`) ?? [])
    }
  }
  return { contents: read(), isCut: found.length < all.length }
}
