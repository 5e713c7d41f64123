import { buildUrl, type Plain } from '../api/client.ts'
import { config } from '../api/configuration.ts'
import { toCsv } from '../ui/export.ts'
import { formatJson } from '../ui/format/json.ts'
import type { CodeRequest } from '../ui/request-code/request-code.ts'
import { maskSecrets } from './mask-secrets.ts'

/** Returns the request that reads data. */
export const toRequest = (endpoint: `GET ${string}`, input: Plain): CodeRequest => {
  const path = buildUrl(config().apiBase, endpoint.slice('GET '.length), input)
  return { method: 'GET', url: new URL(path, location.origin).href }
}

const maskRows = (rows: readonly object[]) => rows.map((row) => maskSecrets(row) as object)

/** Returns a CSV table with a column for each member of the rows. Masks secrets. */
export const rowsToCsv = (rows: readonly object[]): string => {
  const maskedRows = maskRows(rows)
  const headers = [...new Set(maskedRows.flatMap((row) => Object.keys(row)))]
  return toCsv(
    headers.map((header) => ({ header, value: (row: object): unknown => Reflect.get(row, header) })),
    maskedRows,
  )
}

/** Returns JSON of the rows, or of the first row. Masks secrets. */
export const rowsToJson = (rows: readonly object[], onlyFirst: boolean): string => {
  const maskedRows = maskRows(rows)
  return formatJson(onlyFirst ? maskedRows[0] : maskedRows)
}
