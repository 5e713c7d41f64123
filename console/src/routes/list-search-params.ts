import { defaultPageSize, type PageSize, pageSizes } from '@patchbay/contract/lists/paging'

/** The URL parameters of a list. Parameters with default values are left out. */
export interface ListSearch {
  /** The text of the filter. */
  filter?: string
  /** The id of a column, with a minus for descending order. */
  sort?: string
  /** Starts at 1, which is left out. */
  page?: number
  size?: PageSize
  /** The key of the open row. */
  open?: string
}

export type Given = Readonly<Record<string, unknown>>

/** Returns a parameter as text, or undefined if it is missing or empty. */
export const textIn = (params: Given, name: string): string | undefined => {
  const value = params[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

/** Returns several parameters as texts. */
export const textsIn = <Name extends string>(
  params: Given,
  ...names: readonly Name[]
): { [N in Name]?: string | undefined } =>
  Object.fromEntries(names.map((name) => [name, textIn(params, name)])) as { [N in Name]?: string | undefined }

/** Returns the value if it is one of `values`, otherwise undefined. */
export const parseChoice = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === String(value))

/** Removes undefined members, so that they do not appear in the URL. */
export const omitUndefined = <T extends object>(search: T): T =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T

/** Parses the search parameters that all lists have. */
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
