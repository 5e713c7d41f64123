import type { FastifyInstance } from 'fastify'
import type { CallDataSinks } from '../call-data/call-data-sinks.ts'
import type { Services } from '../resources/services.ts'

/** The dependencies of the steps that fill the demo database. */
export interface DemoContext {
  services: Pick<Services, 'write' | 'database' | 'passwords' | 'encryption' | 'recordings' | 'configuration'>
  /** Destinations of traces, log lines, and SIP messages. */
  sinks: Pick<CallDataSinks, 'traces' | 'logs' | 'captures'>
  /** Server that accepts line protocol, as `createInfluxIntake` creates it. */
  intake: FastifyInstance
  progress(what: string, done: number, of: number): void
}
