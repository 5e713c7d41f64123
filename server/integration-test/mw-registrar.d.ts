/** What the tests use of the platform's registrar, which is published without types. */
declare module '@jambonz/mw-registrar' {
  import type { FastifyBaseLogger } from 'fastify'
  import type { Redis } from 'ioredis'

  export default class Registrar {
    constructor(logger: FastifyBaseLogger, redis: Redis)
    /** aor: user@realm; seconds: how long the registration lasts */
    add(aor: string, registration: object, seconds: number): Promise<unknown>
  }
}
