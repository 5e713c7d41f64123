import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'

interface ErrorBannerProps {
  error: unknown
  /** The clause before the error, such as "The connection could not be checked". */
  what?: string
}

/** The error of an action that has failed, with the ID of its request for support. Screen readers announce it. */
export const ErrorBanner = ({ error, what }: ErrorBannerProps) => (
  <Banner tone="bad" role="alert" requestId={getRequestId(error)}>
    {what !== undefined && `${what}: `}
    {errorMessage(error)}
  </Banner>
)
