import { toaster } from '../feedback/toaster.ts'
import { formatCount } from '../ui/format/text.ts'

/** The maximum page size of the server, and the maximum number of exported rows. */
const pageSize = 500
const maxRows = 50_000

interface Asked {
  page: string
  count: string
}

/**
 * Reads all rows that match the filters, page by page. Shows a toast if there are more than `maxRows`.
 * @param rows plural noun for the rows, for the toast
 */
export const allPages = async <Row>(
  rows: string,
  read: (pageRequest: Asked) => Promise<{ data: Row[]; total: number }>,
): Promise<Row[]> => {
  const allRows: Row[] = []
  for (let page = 1; allRows.length < maxRows; page += 1) {
    const { data, total } = await read({ page: String(page), count: String(pageSize) })
    allRows.push(...data)
    if (allRows.length >= total || data.length === 0) return allRows
  }
  toaster.failure(`Only the newest ${formatCount(maxRows)} ${rows} are exported. Choose fewer days to export the rest`)
  return allRows
}
