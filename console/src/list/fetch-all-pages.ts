import { toaster } from '../feedback/toaster.ts'

/** The most that the server gives in a page, and that is taken along in all. */
const pageSize = 500
const maxRows = 50_000

interface Asked {
  page: string
  count: string
}

/** Every row that the filters show, page by page; `rows` are what they are called, many of them. */
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
  toaster.failure(
    `Only the newest ${maxRows.toLocaleString('en')} ${rows} are taken along; choose fewer days for the rest`,
  )
  return allRows
}
