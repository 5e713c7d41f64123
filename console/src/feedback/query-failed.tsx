import type { UseQueryResult } from '@tanstack/react-query'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { LoadFailed } from '../ui/table/list-state.tsx'

interface QueryFailedProps {
  error: Error
  onRetry: () => void
}

/** Replaces data that could not be loaded. */
export const QueryFailed = ({ error, onRetry }: QueryFailedProps) => (
  <LoadFailed message={errorMessage(error)} requestId={getRequestId(error)} onRetry={onRetry} />
)

interface RefetchErrorBannerProps {
  query: Pick<UseQueryResult, 'error' | 'isFetching'>
  onRetry: () => void
}

/** A banner above data that could not be refreshed. */
export const RefetchErrorBanner = ({ query: { error, isFetching }, onRetry }: RefetchErrorBannerProps) =>
  error && (
    <Banner
      tone="bad"
      role="alert"
      requestId={getRequestId(error)}
      action={
        <Button size="small" busy={isFetching} onClick={onRetry}>
          Retry
        </Button>
      }
    >
      Refresh failed: {errorMessage(error)}
    </Banner>
  )
