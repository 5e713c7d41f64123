import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { lastActionAt } from '../feedback/use-action.ts'

export interface DeferredRows<Data> {
  data: Data | undefined
  /** how many rows have come that are not shown */
  fresh: number
  /** shows what has come up to a moment, in epoch milliseconds: by default all that has */
  showUpTo: (at?: number) => void
}

interface DeferredRowsOptions<Data, Row> {
  query: Pick<UseQueryResult<Data>, 'data' | 'dataUpdatedAt' | 'isPlaceholderData'>
  /** what is asked for; another question's answer is shown at once */
  question: string
  rowsOf: (data: Data) => readonly Row[]
  rowKey: (row: Row) => string
}

/**
 * Rows are not shoved in under the eyes of who reads: an answer that nobody asked for and that brings new rows waits
 * until it is called. One that only changes what is there, or follows something that was done here, shows at once.
 */
export const useDeferredRows = <Data, Row>({
  query,
  question,
  rowsOf,
  rowKey,
}: DeferredRowsOptions<Data, Row>): DeferredRows<Data> => {
  const { data, dataUpdatedAt, isPlaceholderData } = query
  const [shown, setShown] = useState({ data, question, at: dataUpdatedAt })
  const [asked, setAsked] = useState(0)

  const news = (() => {
    if (data === undefined || shown.data === undefined || shown.data === data) return 0
    if (shown.question !== question || isPlaceholderData) return 0
    if (asked >= dataUpdatedAt || lastActionAt() > shown.at) return 0
    const known = new Set(rowsOf(shown.data).map(rowKey))
    return rowsOf(data).filter((row) => !known.has(rowKey(row))).length
  })()
  const isCurrent = shown.data === data && shown.question === question
  if (news === 0 && !isCurrent && !isPlaceholderData) setShown({ data, question, at: dataUpdatedAt })
  return { data: news > 0 ? shown.data : data, fresh: news, showUpTo: (at = dataUpdatedAt) => setAsked(at) }
}
