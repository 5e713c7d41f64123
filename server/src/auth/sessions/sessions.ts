import type { Transaction } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Keeps track of the valid tokens of signed-in users. Times are epoch milliseconds. */
export interface Sessions {
  start(token: string, user_sid: string, expiresAt: number): Promise<void>
  /**
   * Replaces a valid token by a new one. Returns false and changes nothing if the old token is not valid, for example
   * because a concurrent request has replaced it.
   */
  renew(old: string, token: string, user_sid: string, expiresAt: number): Promise<boolean>
  /**
   * Ends all sessions of a user, or all except that of `except`. Must be called within the transaction of the change
   * that ends them, so that both happen or neither does. (Sessions outside the database end shortly before the commit.)
   */
  endAll(user_sid: string, within: { except?: string; trx?: Transaction<Tables> }): Promise<void>
}

/** Sessions outside the database. They must be checked in addition to the query for the user. */
export interface SessionsElsewhere extends Sessions {
  isAlive(token: string, user_sid: string): Promise<boolean>
}
