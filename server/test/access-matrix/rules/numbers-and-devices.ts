import { everyone, membersOfP, ofA, ofA2, ofB, overA, overP } from '../callers.ts'
import { defineRules, notFound, permissions, privileges, unique } from '../rule.ts'

export const numberAndDeviceRules = defineRules({
  'GET /PhoneNumbers': { may: everyone, answers: 200, call: () => '/PhoneNumbers' },
  'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/PhoneNumbers`,
  },
  'GET /PhoneNumbers/:phone_number_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/PhoneNumbers/${things.A.phone_number_sid}`,
  },
  'POST /PhoneNumbers': {
    // Accounts always add to their own account. Only a provider can name a wrong one.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({ path: '/PhoneNumbers', body: { number: unique(), account_sid: sid.A } }),
  },
  'PUT /PhoneNumbers/:phone_number_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({
      path: `/PhoneNumbers/${things.A.phone_number_sid}`,
      body: { application_sid: things.A.application_sid },
    }),
  },
  'DELETE /PhoneNumbers/:phone_number_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => `/PhoneNumbers/${things.A.phone_number_sid}`,
  },
  'GET /patchbay/phone-numbers': {
    may: everyone,
    answers: 200,
    call: () => '/patchbay/phone-numbers?page=1',
  },
  'POST /patchbay/phone-numbers/routing': {
    may: overA,
    writes: true,
    answers: 200,
    refused: [400, 'unknown application_sid'],
    call: ({ things: { A } }) => ({
      path: '/patchbay/phone-numbers/routing',
      body: { application_sid: A.application_sid, phone_number_sids: [A.phone_number_sid] },
    }),
  },
  'POST /patchbay/phone-numbers/import': {
    // Rows that name resources of another tenant fail individually: see bulk-phone-numbers.test.ts.
    may: everyone,
    writes: true,
    answers: 200,
    call: ({ sid, things: { A } }) => ({
      path: '/patchbay/phone-numbers/import',
      body: {
        service_provider_sid: sid.P,
        dry_run: false,
        rows: [{ number: unique(), carrier: A.voip_carrier_sid, account: sid.A }],
      },
    }),
  },
  'GET /MicrosoftTeamsTenants': { may: everyone, answers: 200, call: () => '/MicrosoftTeamsTenants' },
  'GET /patchbay/ms-teams-tenants/applications': {
    may: everyone,
    answers: 200,
    call: () => '/patchbay/ms-teams-tenants/applications',
  },
  'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}`,
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
  'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}`,
      body: { tenant_fqdn: `${unique()}.example.org` },
    }),
  },
  'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}`,
  },
  'GET /Clients': { may: everyone, answers: 200, call: () => '/Clients' },
  'POST /Clients': {
    // Accounts always add to their own account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: '/Clients', body: { account_sid: sid.A, username: unique() } }),
  },
  'GET /Clients/:client_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/Clients/${things.A.client_sid}`,
  },
  'PUT /Clients/:client_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/Clients/${things.A.client_sid}`, body: { is_active: false } }),
  },
  'DELETE /Clients/:client_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => `/Clients/${things.A.client_sid}`,
  },
  'GET /patchbay/registered-clients': {
    may: everyone,
    answers: 200,
    call: () => '/patchbay/registered-clients',
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/RegisteredSipUsers`,
  },
  'POST /Accounts/:account_sid/RegisteredSipUsers': {
    // The endpoint only reads, but the API denies every POST to view-only users.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/RegisteredSipUsers`, body: ['alice'] }),
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers/:client': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/RegisteredSipUsers/alice`,
  },
})
