export const msTeamsTenantLengths = { tenant_fqdn: 255 } as const
