import { withTimeout } from '../../lib/timeout.ts'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { VendorContext } from './speech.ts'

/** A vendor has so long for each thing that is asked of it. */
const maxSeconds = 15

/** What is asked of a vendor; rejects when it takes too long. Its requests end then, too, as they do when all is said. */
export const withVendorTimeout = async <T>(
  outgoing: Outgoing,
  work: (far: VendorContext) => Promise<T>,
  seconds = maxSeconds,
): Promise<T> => {
  const stop = new AbortController()
  const tooLate = () => {
    // First: what is under way may know better why it came to nothing.
    stop.abort()
    return new DOMException('', 'TimeoutError')
  }
  try {
    return await withTimeout(work({ outgoing, stop: stop.signal }), seconds, tooLate)
  } finally {
    stop.abort()
  }
}
