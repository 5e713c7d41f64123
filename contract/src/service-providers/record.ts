export const serviceProviderLengths = { name: 64, description: 255, root_domain: 128, ms_teams_fqdn: 255 } as const
