import { z } from 'zod'

/**
 * Lists that are returned as a whole, or one page at a time if the request has a `page` parameter
 * (docs/reference/platform-api/conventions.md#paging). Page 0 is the first.
 */

const digitsParameter = (digits: number, arg: string) =>
  z
    .custom<string>((value) => typeof value === 'string' && value.length <= digits && /^\d*$/.test(value), {
      error: `invalid "${arg}" query arg`,
    })
    .meta({ type: 'string' })

export const listPageQuery = {
  page: digitsParameter(9, 'page').optional(),
  page_size: digitsParameter(6, 'page_size').optional(),
}

export interface ListPage {
  page: number
  page_size: number
}

const defaultSize = 50

/** Parses a required page parameter. */
export const toListPage = ({ page, page_size }: { page: string; page_size?: string | undefined }): ListPage => ({
  page: Number(page),
  page_size: page_size === undefined ? defaultSize : Number(page_size),
})

/** Parses an optional page parameter. Returns undefined if the request does not ask for a page. */
export const toOptionalListPage = ({
  page,
  page_size,
}: {
  page?: string | undefined
  page_size?: string | undefined
}): ListPage | undefined => (page === undefined ? undefined : toListPage({ page, page_size }))

/** Returns the response schema of a list: an array of rows, or a page with the total number of rows. */
export const listOrPage = <Row extends z.ZodType>(row: Row) =>
  z.union([z.array(row), z.object({ total: z.number(), page: z.number(), page_size: z.number(), data: z.array(row) })])
