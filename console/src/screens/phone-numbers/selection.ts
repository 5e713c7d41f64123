import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import type { Nouns } from '../../ui/format/text.ts'

export const nouns: Nouns = ['phone number', 'phone numbers']

/** Selected numbers: individual ones across pages, or all that match the filters with exceptions. */
export type Selection =
  | { is: 'some'; rows: ReadonlyMap<string, NamedPhoneNumber> }
  | { is: 'all'; except: ReadonlySet<string> }

export const nothing: Selection = { is: 'some', rows: new Map() }
export const everything: Selection = { is: 'all', except: new Set() }

export const isSelected = (selection: Selection, { phone_number_sid: sid }: NamedPhoneNumber): boolean =>
  selection.is === 'some' ? selection.rows.has(sid) : !selection.except.has(sid)

/** `total` is the number of phone numbers that match the filters. */
export const countSelected = (selection: Selection, total: number): number =>
  selection.is === 'some' ? selection.rows.size : total - selection.except.size

/** Returns the selection with the rows added or removed. */
export const select = (selection: Selection, rows: readonly NamedPhoneNumber[], on: boolean): Selection => {
  if (selection.is === 'all') {
    const except = new Set(selection.except)
    for (const { phone_number_sid: sid } of rows)
      if (on) except.delete(sid)
      else except.add(sid)
    return { is: 'all', except }
  }
  const selectedRows = new Map(selection.rows)
  for (const row of rows)
    if (on) selectedRows.set(row.phone_number_sid, row)
    else selectedRows.delete(row.phone_number_sid)
  return { is: 'some', rows: selectedRows }
}

/** Returns whether none, some, or all rows of a page are selected. */
export const pageSelected = (selection: Selection, rows: readonly NamedPhoneNumber[]): 'none' | 'some' | 'all' => {
  const count = rows.filter((row) => isSelected(selection, row)).length
  if (count === 0) return 'none'
  return count === rows.length ? 'all' : 'some'
}

/** Returns the account that all selected numbers belong to, or undefined if it is unknown or not unique. */
export const accountSelected = (selection: Selection, filtered: string | undefined): string | undefined => {
  if (filtered !== undefined || selection.is === 'all') return filtered
  const [first, ...more] = new Set([...selection.rows.values()].map(({ account_sid }) => account_sid))
  return more.length === 0 && first !== null ? first : undefined
}
