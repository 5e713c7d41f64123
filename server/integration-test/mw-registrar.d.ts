/** Types for the used part of jambonz's registrar, which is published without type declarations. */
declare module '@jambonz/mw-registrar' {
  import type { FastifyBaseLogger } from 'fastify'
  import type { Redis } from 'ioredis'

  export default class Registrar {
    constructor(logger: FastifyBaseLogger, redis: Redis)
    /** `aor` is user@realm. `seconds` is the duration of the registration. */
    add(aor: string, registration: object, seconds: number): Promise<unknown>
  }
}
