/**
 * Access rules as pure functions that the server and the console share. The server rejects requests with them; the
 * console uses them to hide or disable controls and to redirect.
 */

export const scopes = ['account', 'service_provider', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Returns the access level of a scope: account 0, service_provider 1, admin 2 (AUTH-28). */
export const accessLevel = (scope: Scope): number => scopes.indexOf(scope)

/** Returns whether a scope has the access level of `minScope` or a higher one. */
export const isAtLeast = (scope: Scope, minScope: Scope): boolean => accessLevel(scope) >= accessLevel(minScope)

/** The authenticated caller: a signed-in user, an API key, or a platform component with a token that names no user. */
export interface Actor {
  token: 'user' | 'api_key' | 'platform'
  scope: Scope
  /** Set for users only. */
  user_sid: string | null
  /** Set for scope `account`. */
  account_sid: string | null
  /** Set for scopes `account` and `service_provider`. */
  service_provider_sid: string | null
  is_view_only: boolean
  /** True if the user must change the password first. Until then, every other action is forbidden. */
  must_change_password: boolean
  /**
   * Set for a hosted account that has not paid or has an expired trial. The account can read and pay, but change
   * nothing else.
   */
  is_suspended?: true
  /** Expiry of the API key, ISO 8601. Absent if the key never expires and for other tokens. */
  key_expires_at?: string
}

/** The tenant that owns a record. If both SIDs are null, the platform owns the record and only admins have access. */
export interface Owner {
  account_sid: string | null
  service_provider_sid: string | null
}

export const noOwner: Owner = { account_sid: null, service_provider_sid: null }

export type Action = 'read' | 'write'

const owns = (actor: Actor, owner: Owner): boolean => {
  switch (actor.scope) {
    case 'admin':
      return true
    case 'service_provider':
      return actor.service_provider_sid !== null && owner.service_provider_sid === actor.service_provider_sid
    case 'account':
      return actor.account_sid !== null && owner.account_sid === actor.account_sid
  }
}

/** Returns whether the actor is allowed to perform the action on a record of this owner. */
export const can = (actor: Actor, action: Action, owner: Owner): boolean => {
  if (actor.must_change_password) return false
  if (action === 'write' && actor.is_view_only) return false
  return owns(actor, owner)
}
