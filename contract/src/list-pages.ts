import { z } from 'zod'

/**
 * Lists that come whole, or a page at a time where a page is asked for (api/1-identity.md §11.2, api/2-telephony.md
 * §1.7). Page 0 is the first.
 */

const wholeText = (digits: number, arg: string) =>
  z
    .custom<string>((value) => typeof value === 'string' && value.length <= digits && /^\d*$/.test(value), {
      error: `invalid "${arg}" query arg`,
    })
    .meta({ type: 'string' })

export const listPageQuery = { page: wholeText(9, 'page').optional(), page_size: wholeText(6, 'page_size').optional() }

export interface ListPage {
  page: number
  page_size: number
}

const defaultSize = 50

/** The page that is asked for where one must be. */
export const toListPage = ({ page, page_size }: { page: string; page_size?: string | undefined }): ListPage => ({
  page: Number(page),
  page_size: page_size === undefined ? defaultSize : Number(page_size),
})

/** Which page is asked for, if one is. */
export const toListPageIfAsked = ({
  page,
  page_size,
}: {
  page?: string | undefined
  page_size?: string | undefined
}): ListPage | undefined => (page === undefined ? undefined : toListPage({ page, page_size }))

export const listOrPage = <Row extends z.ZodType>(row: Row) =>
  z.union([z.array(row), z.object({ total: z.number(), page: z.number(), page_size: z.number(), data: z.array(row) })])
