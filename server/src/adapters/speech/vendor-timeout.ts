import { withTimeout } from '../../lib/timeout.ts'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { VendorContext } from './speech.ts'

/** Time limit for each operation at a vendor, which may consist of several requests. */
const defaultTimeoutSeconds = 15

/**
 * Runs an operation at a vendor and rejects if it takes longer than `seconds`. Requests that are still in progress are
 * canceled when the operation ends or times out.
 */
export const withVendorTimeout = async <T>(
  outgoing: Outgoing,
  work: (context: VendorContext) => Promise<T>,
  seconds = defaultTimeoutSeconds,
): Promise<T> => {
  const stop = new AbortController()
  const onTimeout = () => {
    // Cancel the requests first: an operation in progress may reject with a more specific error.
    stop.abort()
    return new DOMException('', 'TimeoutError')
  }
  try {
    return await withTimeout(work({ outgoing, stop: stop.signal }), seconds, onTimeout)
  } finally {
    stop.abort()
  }
}
