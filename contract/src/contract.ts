import { accountEndpoints } from './accounts.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { limitEndpoints } from './limits.ts'
import { passwordSettingsEndpoints } from './password-settings.ts'
import { recentCallEndpoints } from './recent-calls.ts'
import { registeredSipUserEndpoints } from './registered-sip-users.ts'
import { serviceProviderEndpoints } from './service-providers.ts'
import { sessionEndpoints } from './sessions.ts'
import { userEndpoints } from './users.ts'

/** Every endpoint there is. The server mounts it, the client, the OpenAPI document and the access matrix follow. */
export const contract = {
  ...sessionEndpoints,
  ...userEndpoints,
  ...passwordSettingsEndpoints,
  ...serviceProviderEndpoints,
  ...accountEndpoints,
  ...apiKeyEndpoints,
  ...limitEndpoints,
  ...recentCallEndpoints,
  ...registeredSipUserEndpoints,
}
export type Contract = typeof contract
