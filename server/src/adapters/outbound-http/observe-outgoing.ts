import { monotonicMs } from '../../lib/clock.ts'
import { outgoingEvents } from '../../lib/telemetry.ts'
import { getFailureLabel, getServiceLabel, getStatusClass } from './service-label.ts'

/**
 * Sends an outgoing request and publishes its duration and result for metrics, if anything observes them.
 *
 * @param send resolves when the head of the response has arrived
 * @param service label of the service. Default: by the host
 */
export const observeOutgoing = async <T extends object>(
  { hostname }: URL,
  send: () => Promise<T>,
  service?: string,
): Promise<T> => {
  if (!outgoingEvents.isObserved) return send()
  const startedAt = monotonicMs()
  const publish = (result: string) =>
    outgoingEvents.publish({
      service: service ?? getServiceLabel(hostname),
      result,
      seconds: (monotonicMs() - startedAt) / 1000,
    })
  try {
    const response = await send()
    publish('status' in response && typeof response.status === 'number' ? getStatusClass(response.status) : 'ok')
    return response
  } catch (error) {
    publish(getFailureLabel(error))
    throw error
  }
}
