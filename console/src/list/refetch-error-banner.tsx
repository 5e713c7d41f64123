import type { UseQueryResult } from '@tanstack/react-query'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'

interface NotRefreshedProps {
  query: Pick<UseQueryResult, 'error' | 'isFetching'>
  onRetry: () => void
}

/** A banner above data that could not be refreshed. */
export const RefetchErrorBanner = ({ query: { error, isFetching }, onRetry }: NotRefreshedProps) =>
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
      This could not be refreshed: {errorMessage(error)}
    </Banner>
  )
