import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'

/** Which numbers are selected: some by name, on whatever pages, or all that the filters show but a few. */
export type Selection =
  | { is: 'some'; rows: ReadonlyMap<string, NamedPhoneNumber> }
  | { is: 'all'; except: ReadonlySet<string> }

export const nothing: Selection = { is: 'some', rows: new Map() }
export const everything: Selection = { is: 'all', except: new Set() }

export const isSelected = (selection: Selection, { phone_number_sid: sid }: NamedPhoneNumber): boolean =>
  selection.is === 'some' ? selection.rows.has(sid) : !selection.except.has(sid)

/** `total`: how many the filters show. */
export const countSelected = (selection: Selection, total: number): number =>
  selection.is === 'some' ? selection.rows.size : total - selection.except.size

/** The same with rows in it, or not. */
export const select = (selection: Selection, rows: readonly NamedPhoneNumber[], on: boolean): Selection => {
  if (selection.is === 'all') {
    const except = new Set(selection.except)
    for (const { phone_number_sid: sid } of rows)
      if (on) except.delete(sid)
      else except.add(sid)
    return { is: 'all', except }
  }
  const chosen = new Map(selection.rows)
  for (const row of rows)
    if (on) chosen.set(row.phone_number_sid, row)
    else chosen.delete(row.phone_number_sid)
  return { is: 'some', rows: chosen }
}

/** How much of a page is selected. */
export const pageSelected = (selection: Selection, rows: readonly NamedPhoneNumber[]): 'none' | 'some' | 'all' => {
  const count = rows.filter((row) => isSelected(selection, row)).length
  if (count === 0) return 'none'
  return count === rows.length ? 'all' : 'some'
}

/** The one account of all that is selected, where it is known to be one. */
export const accountSelected = (selection: Selection, filtered: string | undefined): string | undefined => {
  if (filtered !== undefined || selection.is === 'all') return filtered
  const [first, ...more] = new Set([...selection.rows.values()].map(({ account_sid }) => account_sid))
  return more.length === 0 && first !== null ? first : undefined
}
