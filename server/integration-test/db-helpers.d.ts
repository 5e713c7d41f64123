/** Types for the used part of jambonz's database helpers, which are published without type declarations. */
declare module '@jambonz/db-helpers' {
  import type { EventEmitter } from 'node:events'

  interface Log {
    info(...said: unknown[]): void
    debug(...said: unknown[]): void
    warn(...said: unknown[]): void
    error(...said: unknown[]): void
  }

  interface DbHelpers {
    pool: EventEmitter & { end(): void }
    ping(): Promise<void>
    lookupAccountBySipRealm(realm: string): Promise<{ account_sid: string } | null>
    lookupAppBySid(application_sid: string): Promise<Record<string, unknown> | null>
    lookupLcrByAccount(account_sid: string): Promise<{ lcr_sid: string }[]>
    lookupCarrierByAccountLcr(account_sid: string, number: string): Promise<string | undefined>
  }

  export default function connect(
    at: { host: string; port: number; user: string; database: string; connectionLimit: number },
    log: Log,
  ): DbHelpers
}
