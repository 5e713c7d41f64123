import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { type NumberQuery, readNumbers } from '../queries.ts'
import { isSelected, type Selection } from '../selection.ts'

/** Page size for reading all numbers. Every server supports it. */
const pageSize = 2000

/** Reads all numbers that match the filters. Numbers added in the meantime do not cause duplicates. */
const allNumbers = async (
  query: NumberQuery,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<NamedPhoneNumber[]> => {
  const numbersBySid = new Map<string, NamedPhoneNumber>()
  for (let page = 1; ; page += 1) {
    const { data, total } = await readNumbers(query, { page: String(page), page_size: String(pageSize) }, {})
    for (const number of data) numbersBySid.set(number.phone_number_sid, number)
    onProgress(numbersBySid.size, total)
    if (data.length < pageSize) return [...numbersBySid.values()]
  }
}

/** Returns the selected numbers. If all that match the filters are selected, reads them page by page. */
export const readSelected = async (
  selection: Selection,
  query: NumberQuery,
  onProgress?: (done: number, of: number) => void,
): Promise<NamedPhoneNumber[]> => {
  if (selection.is === 'some') return [...selection.rows.values()]
  const all = await allNumbers(query, onProgress)
  return all.filter((number) => isSelected(selection, number))
}
