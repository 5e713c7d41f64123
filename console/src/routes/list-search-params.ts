import { defaultPageSize, type PageSize, pageSizes } from '@patchbay/contract/lists/paging'

/** What the address of a list may say; what is at its default is left out. */
export interface ListSearch {
  /** what is typed into the filter */
  filter?: string
  /** a column's id, with a minus before it when the order is turned round */
  sort?: string
  /** from 1, which is left out */
  page?: number
  size?: PageSize
  /** the key of the row that is open */
  open?: string
}

export type Given = Readonly<Record<string, unknown>>

export const textIn = (given: Given, name: string): string | undefined => {
  const value = given[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

export const parseOneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === String(value))

/** Members that say nothing stay out of the address. */
export const omitUndefined = <T extends object>(search: T): T =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T

/** The search of every list. */
export const listSearch = (given: Given): ListSearch => {
  const page = Number(given['page'])
  const size = pageSizes.find((known) => known === Number(given['size']))
  return omitUndefined({
    filter: textIn(given, 'filter'),
    sort: textIn(given, 'sort'),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
    size: size === defaultPageSize ? undefined : size,
    open: textIn(given, 'open'),
  })
}
