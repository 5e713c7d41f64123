import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { serviceProviderLengths as lengths } from '@patchbay/contract/service-providers/record'
import { isSipRealm } from '@patchbay/contract/sip-realms/realm'
import type { ApiError } from '../../api/api-error.ts'
import type { FieldErrors } from '../../form/server-errors.ts'
import { type LimitRows, limitsValues, toLimitsValues } from '../../sections/limits/limits.ts'
import { requiredText, trimmedText, z } from '../../zod.ts'

/** Values of the service provider form. */

export const providerValues = z
  .object({
    name: requiredText(lengths.name, 'Enter a name'),
    withMsTeams: z.boolean(),
    ms_teams_fqdn: trimmedText(lengths.ms_teams_fqdn),
    limits: limitsValues,
  })
  .check((context) => {
    const { withMsTeams, ms_teams_fqdn } = context.value
    if (!withMsTeams || isSipRealm(ms_teams_fqdn)) return
    const message = 'Enter a domain name such as sbc.example.com'
    context.issues.push({ code: 'custom', input: ms_teams_fqdn, path: ['ms_teams_fqdn'], message })
  })
export type ProviderValues = z.infer<typeof providerValues>

/** The records of the form, which are saved separately. */
export interface ProviderRecords {
  provider: ServiceProvider
  limits: LimitRows
}

export const toProviderValues = ({ provider: { name, ms_teams_fqdn }, limits }: ProviderRecords): ProviderValues => ({
  name,
  withMsTeams: Boolean(ms_teams_fqdn),
  ms_teams_fqdn: ms_teams_fqdn ?? '',
  limits: toLimitsValues(limits),
})

/** Returns the request body. The domain is removed if MS Teams is disabled. */
export const toProviderPayload = ({ name, withMsTeams, ms_teams_fqdn }: Omit<ProviderValues, 'limits'>) => ({
  name: name.trim(),
  ms_teams_fqdn: (withMsTeams && ms_teams_fqdn.trim()) || null,
})

export const providerFieldErrors = ({ field, status, message, detail }: ApiError): FieldErrors<ProviderValues> => {
  if (field !== 'name' && field !== 'ms_teams_fqdn') return {}
  return {
    [field]: status === 422 && field === 'name' ? 'Another service provider has this name' : (detail ?? message),
  }
}
