import { existsSync, readdirSync } from 'node:fs'

/** Reads what the writer has stored in ClickHouse and on the disk. */

/** Counts the calls of an account in the table, and their sum in the hours. */
export const countCalls = async (
  { query }: { query(statement: string): Promise<string> },
  account_sid: string,
): Promise<[rows: number, sum: number]> => {
  const text = await query(
    `SELECT (SELECT count() FROM calls WHERE account_sid = '${account_sid}'),
      (SELECT sum(calls) FROM call_hours WHERE owner_sid = '${account_sid}') FORMAT TabSeparated`,
  )
  const [rows, sum] = text.trim().split('\t').map(Number)
  return [rows ?? 0, sum ?? 0]
}

/** Returns the files of the batches that wait in the folder of a table. */
export const listBatchFiles = (folder: string): string[] => {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true }).filter((name): name is string => String(name).endsWith('.json.gz'))
}
