import { defaultPageSize, type PageSize, pageSizes } from '@patchbay/contract/lists/paging'

/** The URL parameters of a list. Parameters with default values are left out. */
export interface ListSearch {
  /** The text of the filter. */
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

export const textIn = (params: Given, name: string): string | undefined => {
  const value = params[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

export const parseChoice = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === String(value))

/** Members that say nothing stay out of the address. */
export const omitUndefined = <T extends object>(search: T): T =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T

/** The search of every list. */
export const listSearch = (params: Given): ListSearch => {
  const page = Number(params['page'])
  const size = pageSizes.find((candidate) => candidate === Number(params['size']))
  return omitUndefined({
    filter: textIn(params, 'filter'),
    sort: textIn(params, 'sort'),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
    size: size === defaultPageSize ? undefined : size,
    open: textIn(params, 'open'),
  })
}
