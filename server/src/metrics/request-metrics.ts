import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { limitEvents, outgoingEvents, requestEvents, type Unsubscribe } from '../lib/telemetry.ts'
import { createDurationHistogram } from './duration-histogram.ts'

/** Metrics of incoming and outgoing requests. */

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Seconds. The upper limit is the default time limit of a request. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export const observeRequests = (registry: Registry): Unsubscribe[] => {
  const registers = [registry]
  const durations = createDurationHistogram(registry, {
    name: 'patchbay_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is sent or its client disconnects, by route template.',
    labelNames: ['method', 'route', 'status_class'],
    buckets: requestBuckets,
  })
  let inFlight = 0
  const inFlightGauge = new Gauge({
    name: 'patchbay_http_requests_in_flight',
    help: 'Requests that are being processed.',
    registers: [],
    collect() {
      this.set(inFlight)
    },
  })
  const limited = new Counter({
    name: 'patchbay_http_requests_limited_total',
    help: 'Requests that were rejected with 429, by the limit that they exceeded.',
    labelNames: ['limit'],
    registers,
  })
  const outgoing = new Histogram({
    name: 'patchbay_outgoing_request_duration_seconds',
    help: 'Time until the head of the response to an outgoing request, by service and result.',
    labelNames: ['service', 'result'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  registry.registerMetric(inFlightGauge)
  for (const limit of ['address_concurrency', 'address_rate', 'caller_rate']) limited.inc({ limit }, 0)
  return [
    requestEvents.subscribe((event) => {
      if (event.is === 'started') {
        inFlight += 1
        return
      }
      inFlight -= 1
      const method = methods.has(event.method) ? event.method : 'other'
      const { route, seconds, status } = event
      const status_class = status === null ? 'aborted' : `${Math.trunc(status / 100)}xx`
      durations.observe(`${method} ${route} ${status_class}`, seconds, () => ({ method, route, status_class }))
    }),
    limitEvents.subscribe(({ limit }) => limited.inc({ limit })),
    outgoingEvents.subscribe(({ service, result, seconds }) => outgoing.observe({ service, result }, seconds)),
  ]
}
