import type { FastifyInstance } from 'fastify'
import { createJobs } from '../jobs/index.ts'
import { runPeriodically } from '../lib/run-periodically.ts'
import type { BulkHandlers } from '../resources/bulk-changes/change-record.ts'
import type { Services } from '../resources/services.ts'

/** Starts the periodic jobs. They stop, and end what they do, before the app closes the services that they use. */
export const runJobs = (app: FastifyInstance, services: Services, handlers: BulkHandlers): void => {
  const stopping = new AbortController()
  const jobs = createJobs({ services, handlers, signal: stopping.signal })
  const stops = jobs.map((job) => runPeriodically(job, services.onBackgroundError))
  app.addHook('preClose', async () => {
    stopping.abort()
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(jobs.map(async (job) => job.settle?.()))
  })
  app.addHook('onClose', async () => {
    for (const job of jobs) job.release?.()
  })
}
