import type { Transaction } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Which tokens of signed-in users are alive. Times are epoch milliseconds. */
export interface Sessions {
  start(token: string, user_sid: string, expiresAt: number): Promise<void>
  /** A new token in place of one that is alive; false, and nothing done, where it is not: of two at once one wins. */
  renew(old: string, token: string, user_sid: string, expiresAt: number): Promise<boolean>
  /**
   * Ends all sessions of a user, or all but the one of `except`. Called within the transaction of the change that ends
   * them: the one does not happen without the other. (What is not in the database ends a moment before the commit.)
   */
  endAll(user_sid: string, within: { except?: string; trx?: Transaction<Tables> }): Promise<void>
}

/** Sessions that are not in the database, where a query of the user asks for them as well. */
export interface SessionsElsewhere extends Sessions {
  isAlive(token: string, user_sid: string): Promise<boolean>
}
