import type { UseQueryResult } from '@tanstack/react-query'
import { retryPendingReads } from '../api/query-client.ts'
import { QueryFailed } from '../feedback/query-failed.tsx'
import { FormSkeleton } from '../ui/fields/form-skeleton.tsx'

interface FormLoadingProps {
  /** All queries that the form waits for. */
  queries: readonly Pick<UseQueryResult, 'data' | 'error' | 'refetch'>[]
  /** The sections of a form. Absent for a part of a page. */
  sections?: number
}

/** The placeholder of a form while its data loads, or the error if that has failed. */
export const FormLoading = ({ queries, sections }: FormLoadingProps) => {
  const failed = queries.filter(({ data, error }) => data === undefined && error !== null)
  const error = failed[0]?.error
  if (!error) return <FormSkeleton sections={sections} onRetry={() => void retryPendingReads()} />
  return (
    <QueryFailed
      error={error}
      onRetry={() => {
        for (const { refetch } of failed) void refetch()
      }}
    />
  )
}
