import type { FastifyInstance } from 'fastify'
import type { Services } from '../resources/services.ts'

/** What the steps that fill the demo database need. */
export interface DemoContext {
  services: Pick<Services, 'write' | 'database' | 'passwords' | 'encryption' | 'recordings' | 'configuration'>
  /** takes line protocol, as `createInfluxIntake` makes it */
  intake: FastifyInstance
  progress(what: string, done: number, of: number): void
}
