import { isAtLeast, type Scope } from '@patchbay/contract/access'

/** A scope and those below it, from the highest down. */
export const assignableScopes = (highest: Scope): Scope[] =>
  (['admin', 'service_provider', 'account'] as const).filter((scope) => isAtLeast(highest, scope))
