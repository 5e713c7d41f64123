import { type FetchQueryOptions, type QueryKey, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { showErrorToast } from '../feedback/use-action.ts'

interface CursorPage {
  /** The `after` of the next page, null if there is none. */
  next: string | null
}

/**
 * Reads the first page of a list whose pages follow a cursor. `showMore` adds the next page, and is absent on the last one.
 * @param toQuery returns the query of the page that follows a cursor
 */
export const useCursorPages = <Page extends CursorPage, Key extends QueryKey>(
  toQuery: (after: string | undefined) => FetchQueryOptions<Page, Error, Page, Key>,
) => {
  const first = useQuery(toQuery(undefined))
  const [isBusy, setBusy] = useState(false)
  const [more, setMore] = useState<{ first: unknown; pages: readonly Page[] }>({ first: undefined, pages: [] })
  // Further pages follow a certain first page.
  const further = more.first === first.data ? more.pages : []
  const pages = first.data === undefined ? [] : [first.data, ...further]
  const next = pages.at(-1)?.next ?? null
  const showMore = async (after: string) => {
    setBusy(true)
    try {
      const page = await queryClient.fetchQuery(toQuery(after))
      setMore({ first: first.data, pages: [...further, page] })
    } catch (error) {
      showErrorToast(error)
    } finally {
      setBusy(false)
    }
  }
  return { first, pages, isBusy, ...(next !== null && { showMore: () => void showMore(next) }) }
}
