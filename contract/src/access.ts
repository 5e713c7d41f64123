/**
 * Who may do what: pure, and asked by both sides. The server refuses with it, the console shows, disables or
 * redirects with it.
 */

export const scopes = ['account', 'service_provider', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Access level of a scope: account 0, service_provider 1, admin 2 (spec 0 §3). */
export const accessLevel = (scope: Scope): number => scopes.indexOf(scope)

export const isAtLeast = (scope: Scope, minScope: Scope): boolean => accessLevel(scope) >= accessLevel(minScope)

/** The one who calls: a signed-in user, an API key, or a component of the platform with a token that names no user. */
export interface Actor {
  token: 'user' | 'api_key' | 'platform'
  scope: Scope
  /** of users alone */
  user_sid: string | null
  /** set for scope account */
  account_sid: string | null
  /** set for scopes account and service_provider */
  service_provider_sid: string | null
  is_view_only: boolean
  /** A user who must change the password first may do nothing but that. */
  must_change_password: boolean
  /** of a hosted account whose trial has ended or that has not paid: it reads, and may pay, but changes nothing else */
  is_suspended?: true
  /** when an API key ends, ISO 8601; absent: never, or no key */
  key_expires_at?: string
}

/** Whose a thing is. Both null: it belongs to the platform, to admins alone. */
export interface Owner {
  account_sid: string | null
  service_provider_sid: string | null
}

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

/** May this actor read or change what belongs to this owner? */
export const can = (actor: Actor, action: Action, owner: Owner): boolean => {
  if (actor.must_change_password) return false
  if (action === 'write' && actor.is_view_only) return false
  return owns(actor, owner)
}
