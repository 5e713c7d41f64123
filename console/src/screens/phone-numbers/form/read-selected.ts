import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { allNumbers, type NumberQuery } from '../queries.ts'
import { isSelected, type Selection } from '../selection.ts'

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
