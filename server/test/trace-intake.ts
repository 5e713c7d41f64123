import { createOtlpIntake } from '@patchbay/server/call-data/ingest/otlp-ingest'
import type { TestApi } from '@patchbay/testkit/test-api'
import type { FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'

/**
 * Creates the intake of traces with the settings of the app, and closes it after the last test of a file. It accepts
 * injected requests, and connections after `listen`.
 */
export const openTraceIntake = ({ sinks, app, services }: TestApi): FastifyInstance => {
  const intake = createOtlpIntake({
    sink: sinks.traces,
    logger: app.log,
    callAttributes: services.configuration.traceCallAttributes,
  })
  afterAll(() => intake.close())
  return intake
}
