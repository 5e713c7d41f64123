import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { lastActionAt } from '../feedback/use-action.ts'

export interface DeferredRows<Data> {
  data: Data | undefined
  /** The number of new rows that are not displayed yet. */
  fresh: number
  /** Displays the rows that were loaded until `at`, in milliseconds since the Unix epoch. Defaults to all rows. */
  showUpTo: (at?: number) => void
}

interface DeferredRowsOptions<Data, Row> {
  query: Pick<UseQueryResult<Data>, 'data' | 'dataUpdatedAt' | 'isPlaceholderData'>
  /** Identifies the request. The response to another request is displayed immediately. */
  question: string
  getRows: (data: Data) => readonly Row[]
  rowKey: (row: Row) => string
}

/**
 * Keeps rows from moving while the user reads: new rows of a background refresh wait until the user asks for them.
 * Changes to displayed rows, and responses to the user's own actions, are displayed immediately.
 */
export const useDeferredRows = <Data, Row>({
  query,
  question,
  getRows,
  rowKey,
}: DeferredRowsOptions<Data, Row>): DeferredRows<Data> => {
  const { data, dataUpdatedAt, isPlaceholderData } = query
  const [displayed, setDisplayed] = useState({ data, question, at: dataUpdatedAt })
  const [requestedAt, setRequestedAt] = useState(0)

  const news = (() => {
    if (!data || !displayed.data || displayed.data === data) return 0
    if (displayed.question !== question || isPlaceholderData) return 0
    if (requestedAt >= dataUpdatedAt || lastActionAt() > displayed.at) return 0
    const displayedKeys = new Set(getRows(displayed.data).map(rowKey))
    // The first rows of an empty list move nothing.
    if (displayedKeys.size === 0) return 0
    return getRows(data).filter((row) => !displayedKeys.has(rowKey(row))).length
  })()
  const isCurrent = displayed.data === data && displayed.question === question
  if (news === 0 && !isCurrent && !isPlaceholderData) setDisplayed({ data, question, at: dataUpdatedAt })
  return { data: news > 0 ? displayed.data : data, fresh: news, showUpTo: (at = dataUpdatedAt) => setRequestedAt(at) }
}
