import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { helperEvents, intakeEvents, jobEvents, queueEvents, type Unsubscribe } from '../lib/telemetry.ts'
import { createDurationHistogram } from './duration-histogram.ts'

/** Metrics of queues, background jobs, helper processes, and the intakes of call data. */

interface Depth {
  waiting: number
  running: number
}

export const observeQueues = (registry: Registry): Unsubscribe[] => {
  const registers = [registry]
  const depths = new Map<string, Depth>()
  const createGauge = (name: string, help: string, value: (depth: Depth) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      collect() {
        for (const [queue, depth] of depths) this.set({ queue }, value(depth))
      },
    })
  createGauge('patchbay_queue_waiting', 'Steps of work that wait in a queue.', ({ waiting }) => waiting)
  createGauge('patchbay_queue_running', 'Steps of work of a queue that are running.', ({ running }) => running)
  const waits = createDurationHistogram(registry, {
    name: 'patchbay_queue_wait_seconds',
    help: 'Time that a step of work waited in a queue.',
    labelNames: ['queue'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  })
  const rejected = new Counter({
    name: 'patchbay_queue_rejected_total',
    help: 'Work that a queue did not run, because its tenant had too much of it or its client disconnected.',
    labelNames: ['queue', 'reason'],
    registers,
  })
  const getDepth = (queue: string): Depth => {
    const depth = depths.get(queue) ?? { waiting: 0, running: 0 }
    depths.set(queue, depth)
    return depth
  }
  return [
    queueEvents.subscribe((event) => {
      const { queue } = event
      const depth = getDepth(queue)
      switch (event.is) {
        case 'waiting':
          depth.waiting += 1
          return
        case 'started':
          depth.waiting -= 1
          depth.running += 1
          waits.observe(queue, event.waitedMs / 1000, () => ({ queue }))
          return
        case 'finished':
          depth.running -= 1
          return
        case 'canceled':
          depth.waiting -= 1
          rejected.inc({ queue, reason: 'canceled' })
          return
        case 'rejected':
          rejected.inc({ queue, reason: 'tenant_limit' })
      }
    }),
  ]
}

/** The label is not `job`, because Prometheus adds a label of this name to all metrics. */
export const observeJobs = (registry: Registry): Unsubscribe[] => {
  const registers = [registry]
  const durations = new Histogram({
    name: 'patchbay_job_duration_seconds',
    help: 'Time of a run of a background job.',
    labelNames: ['name'],
    buckets: [0.005, 0.05, 0.5, 5, 60, 600],
    registers,
  })
  const failures = new Counter({
    name: 'patchbay_job_failures_total',
    help: 'Runs of a background job that failed.',
    labelNames: ['name'],
    registers,
  })
  const successes = new Gauge({
    name: 'patchbay_job_last_success_timestamp_seconds',
    help: 'Time at which a background job last succeeded, in seconds since the Unix epoch.',
    labelNames: ['name'],
    registers,
  })
  return [
    jobEvents.subscribe(({ job: name, seconds, hasFailed }) => {
      durations.observe({ name }, seconds)
      failures.inc({ name }, hasFailed ? 1 : 0)
      if (!hasFailed) successes.set({ name }, Date.now() / 1000)
    }),
  ]
}

export const observeHelpers = (registry: Registry): Unsubscribe[] => {
  const deaths = new Counter({
    name: 'patchbay_helper_deaths_total',
    help: 'Helper processes that ended in the middle of their work.',
    labelNames: ['helper', 'reason'],
    registers: [registry],
  })
  return [helperEvents.subscribe(({ helper, reason }) => deaths.inc({ helper, reason }))]
}

export const observeIntakes = (registry: Registry): Unsubscribe[] => {
  const createCounter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const bytes = createCounter(
    'patchbay_intake_bytes_total',
    'Bytes that an intake received, after decompression. For recordings, bytes of the encoded audio.',
    ['intake'],
  )
  const rejectedRequests = createCounter(
    'patchbay_intake_requests_rejected_total',
    'Requests that an intake answered with an error.',
    ['intake', 'reason'],
  )
  const records = createCounter('patchbay_intake_records_total', 'Records that were received and stored.', ['data'])
  const rejectedRecords = createCounter(
    'patchbay_intake_records_rejected_total',
    'Records that were received but not stored.',
    ['data', 'reason'],
  )
  return [
    intakeEvents.subscribe((event) => {
      switch (event.is) {
        case 'received':
          bytes.inc({ intake: event.intake }, event.bytes)
          return
        case 'request_rejected':
          rejectedRequests.inc({ intake: event.intake, reason: event.reason })
          return
        case 'stored':
          records.inc({ data: event.data }, event.count)
          return
        case 'rejected':
          if (event.count > 0) rejectedRecords.inc({ data: event.data, reason: event.reason }, event.count)
      }
    }),
  ]
}
