import { everyone, ofA, ofA2, ofB, overP } from '../callers.ts'
import { defineRules, recordRules, unique } from '../rule.ts'

export const rules = defineRules({
  'GET /MicrosoftTeamsTenants': { may: everyone, answers: 200, call: () => '/MicrosoftTeamsTenants' },
  'GET /patchbay/ms-teams-tenants/applications': {
    may: everyone,
    answers: 200,
    call: () => '/patchbay/ms-teams-tenants/applications',
  },
  'POST /MicrosoftTeamsTenants': {
    // Accounts always add to their own account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'service_provider_sid must be your own'],
    call: ({ sid }) => ({
      path: '/MicrosoftTeamsTenants',
      body: { service_provider_sid: sid.P, account_sid: sid.A, tenant_fqdn: `${unique()}.example.org` },
    }),
  },
  ...recordRules('/MicrosoftTeamsTenants', 'ms_teams_tenant_sid', () => ({ tenant_fqdn: `${unique()}.example.org` })),
})
