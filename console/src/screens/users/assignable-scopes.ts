import { isAtLeast, type Scope } from '@patchbay/contract/access'

/** Returns a scope and all narrower scopes, sorted from the widest to the narrowest. */
export const assignableScopes = (highest: Scope): Scope[] =>
  (['admin', 'service_provider', 'account'] as const).filter((scope) => isAtLeast(highest, scope))
