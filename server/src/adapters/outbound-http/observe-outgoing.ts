import { monotonicMs } from '../../lib/clock.ts'
import { getActiveSpan, getErrorType, type Span } from '../../lib/spans.ts'
import { outgoingEvents } from '../../lib/telemetry.ts'
import { getFailureLabel, getServiceLabel, getStatusClass } from './service-label.ts'

export interface ObservedRequest {
  url: URL
  /** Absent if the protocol is not HTTP. */
  method?: string
  /** Label of the service. Default: by the host. */
  service?: string | undefined
}

const getStatus = (response: object): number | undefined =>
  'status' in response && typeof response.status === 'number' ? response.status : undefined

/** Paths and query strings are left out, because those of webhooks and vendors contain secrets. */
const startOutgoingSpan = ({ url, method, service }: ObservedRequest): Span | undefined =>
  getActiveSpan()?.startChild({
    name: method ?? service ?? url.protocol,
    kind: 'client',
    attributes: {
      ...(method === undefined ? {} : { 'http.request.method': method }),
      'server.address': url.hostname,
      ...(url.port === '' ? {} : { 'server.port': Number(url.port) }),
      'url.scheme': url.protocol.slice(0, -1),
      'patchbay.service': service ?? getServiceLabel(url.hostname),
    },
  })

const endWithStatus = (span: Span, status: number | undefined): void => {
  const hasFailed = status !== undefined && status >= 400
  span.end({
    hasFailed,
    attributes: {
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
      ...(hasFailed ? { 'error.type': String(status) } : {}),
    },
  })
}

/**
 * Sends an outgoing request. Publishes its duration and result for metrics, if anything observes them, and creates a
 * span, if the current work belongs to one.
 *
 * @param send resolves when the head of the response has arrived. Gets the headers that continue the trace
 */
export const observeOutgoing = async <T extends object>(
  request: ObservedRequest,
  send: (traceHeaders: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> => {
  const span = startOutgoingSpan(request)
  if (!outgoingEvents.isObserved && span === undefined) return send({})
  const startedAt = monotonicMs()
  const publish = (result: string) =>
    outgoingEvents.publish({
      service: request.service ?? getServiceLabel(request.url.hostname),
      result,
      seconds: (monotonicMs() - startedAt) / 1000,
    })
  try {
    const response = await send(span?.headers() ?? {})
    const status = getStatus(response)
    publish(status === undefined ? 'ok' : getStatusClass(status))
    if (span) endWithStatus(span, status)
    return response
  } catch (error) {
    publish(getFailureLabel(error))
    span?.end({ hasFailed: true, attributes: { 'error.type': getErrorType(error) } })
    throw error
  }
}
