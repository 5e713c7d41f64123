import type { UseQueryResult } from '@tanstack/react-query'
import { failureText, requestIdOf } from '../api/failure.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'

interface NotRefreshedProps {
  query: Pick<UseQueryResult, 'error' | 'isFetching'>
  onRetry: () => void
}

/** Above what was read before, while a later read of it has failed. */
export const NotRefreshed = ({ query: { error, isFetching }, onRetry }: NotRefreshedProps) =>
  error && (
    <Banner
      tone="bad"
      role="alert"
      requestId={requestIdOf(error)}
      action={
        <Button size="small" busy={isFetching} onClick={onRetry}>
          Retry
        </Button>
      }
    >
      This could not be refreshed: {failureText(error)}
    </Banner>
  )
