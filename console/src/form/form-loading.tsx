import type { UseQueryResult } from '@tanstack/react-query'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { FormSkeleton } from '../ui/form-skeleton.tsx'
import { LoadFailed } from '../ui/list-state.tsx'

interface FormLoadingProps {
  /** All queries that the form waits for. */
  queries: readonly Pick<UseQueryResult, 'data' | 'error' | 'refetch'>[]
  sections: number
}

/** The placeholder of a form while its data loads, or the error if that has failed. */
export const FormLoading = ({ queries, sections }: FormLoadingProps) => {
  const failed = queries.filter(({ data, error }) => data === undefined && error !== null)
  const [first] = failed
  if (first === undefined) return <FormSkeleton sections={sections} />
  return (
    <LoadFailed
      message={errorMessage(first.error)}
      requestId={getRequestId(first.error)}
      onRetry={() => {
        for (const { refetch } of failed) void refetch()
      }}
    />
  )
}
