import type { Scope } from '@patchbay/contract/api/access'

/** Labels of the scopes. */
export const scopeNames: Readonly<Record<Scope, string>> = {
  admin: 'Admin',
  service_provider: 'Service provider',
  account: 'Account',
}
