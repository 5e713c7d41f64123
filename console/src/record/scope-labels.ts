import type { Scope } from '@patchbay/contract/access'

/** What scopes are called. */
export const scopeNames: Readonly<Record<Scope, string>> = {
  admin: 'Admin',
  service_provider: 'Service provider',
  account: 'Account',
}
