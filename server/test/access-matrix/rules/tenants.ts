import { worldPassword } from '@patchbay/testkit/test-world'
import {
  admins,
  type CallerName,
  everyone,
  includes,
  membersOfP,
  ofA,
  ofA2,
  ofB,
  overA,
  overP,
  providersAndAdmins,
  viewOnly,
} from '../callers.ts'
import { getCaller } from '../matrix-world.ts'
import { defineRules, firstPage, notFound, permissions, privileges, unique } from '../rule.ts'

const accountPeople = [...ofA, ...ofA2, ...ofB]

/** View-only callers are denied before the lookup of the customer. */
const noCustomer = (caller: CallerName): [number, string] =>
  caller === 'view-only user of A' ? [403, 'User has view-only access'] : notFound

export const rules = defineRules({
  'GET /Prices': { may: everyone, answers: 200, call: () => '/Prices' },
  'GET /StripeCustomerId': {
    may: accountPeople.filter((name) => !includes(viewOnly, name)),
    answers: 200,
    refused: noCustomer,
    call: () => '/StripeCustomerId',
  },
  'DELETE /StripeCustomerId': {
    may: accountPeople,
    writes: true,
    answers: 204,
    refused: notFound,
    call: async (world, caller) => {
      if (!world.isShared) await (await getCaller(world, caller)).get('/StripeCustomerId')
      return { path: '/StripeCustomerId' }
    },
  },
  'GET /Invoices': { may: everyone, answers: 404, says: 'Not Found', call: () => '/Invoices' },
  'GET /Accounts/:account_sid/Charges': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/Charges`,
  },
  'GET /Subscriptions': { may: everyone, answers: 404, says: 'Not Found', call: () => '/Subscriptions' },
  'POST /Subscriptions': {
    may: accountPeople,
    writes: true,
    answers: 200,
    refused: notFound,
    call: () => ({ path: '/Subscriptions', body: { action: 'downgrade-to-free' } }),
  },
  'POST /stripe/webhook': {
    may: 'public',
    answers: 400,
    says: 'The signature does not match the body',
    call: () => ({ path: '/stripe/webhook', body: { id: 'evt_of_nobody' } }),
  },
  'GET /SystemInformation': {
    may: admins,
    answers: 200,
    refused: privileges,
    call: () => '/SystemInformation',
  },
  'GET /patchbay/system-status': {
    may: admins,
    answers: 200,
    refused: privileges,
    call: () => '/patchbay/system-status',
  },
  'GET /patchbay/Accounts/:account_sid/DataDeletions': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/Accounts/${sid.A}/DataDeletions`,
  },
  'POST /patchbay/Accounts/:account_sid/DataDeletions': {
    may: overA,
    writes: true,
    answers: 202,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/patchbay/Accounts/${sid.A}/DataDeletions`,
      body: { before: '2026-11-01T00:00:00Z' },
    }),
  },
  'GET /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/ServiceProviders/${sid.P}/MaskingRules`,
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/MaskingRules': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/ServiceProviders/${sid.P}/MaskingRules`, body: { pressed_digits: true } }),
  },
  'POST /patchbay/ServiceProviders/:service_provider_sid/MaskingRules/test': {
    may: overP,
    writes: true,
    allowViewOnly: true,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/patchbay/ServiceProviders/${sid.P}/MaskingRules/test`,
      body: { card_numbers: true, pressed_digits: false, patterns: [], text: 'a text' },
    }),
  },
  'POST /SystemInformation': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/SystemInformation', body: { domain_name: `${unique()}.example.org` } }),
  },
  'GET /ServiceProviders': { may: everyone, answers: 200, call: () => '/ServiceProviders' },
  'POST /ServiceProviders': {
    may: admins,
    writes: true,
    answers: 201,
    refused: [403, 'only admin users can add a service provider'],
    call: () => ({ path: '/ServiceProviders', body: { name: `made ${unique()}` } }),
  },
  'GET /ServiceProviders/:service_provider_sid': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}`,
  },
  'PUT /ServiceProviders/:service_provider_sid': {
    may: overP,
    writes: true,
    answers: 204,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}`, body: { name: `changed ${unique()}` } }),
  },
  'DELETE /ServiceProviders/:service_provider_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: [403, 'only admin users can delete a service provider'],
    call: async ({ api, sid }, caller) => {
      // Only an empty provider can be deleted. Callers without permission request P itself.
      const target = includes(admins, caller) ? await api.provider() : sid.P
      return { path: `/ServiceProviders/${target}` }
    },
  },
  'GET /patchbay/service-providers/:service_provider_sid/contents': {
    // Created for callers who may delete the provider.
    may: admins,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/contents`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/all-contents': {
    // Created for callers who may delete the provider.
    may: admins,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/all-contents`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/used-elsewhere': {
    // Created for callers who may delete the provider.
    may: admins,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/used-elsewhere`,
  },
  'GET /Availability': {
    may: everyone,
    answers: 200,
    call: () => `/Availability?type=subdomain&value=${unique()}.sip.example.org`,
  },
  'POST /Accounts/:account_sid/SipRealms/:sip_realm': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/SipRealms/${unique()}a.sip.example.org`,
  },
  'GET /Accounts': { may: everyone, answers: 200, call: () => '/Accounts' },
  'GET /ServiceProviders/:service_provider_sid/Accounts': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/Accounts`,
  },
  'POST /Accounts': {
    // For providers, the server ignores the requested provider: see accounts.test.ts.
    may: providersAndAdmins,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: '/Accounts', body: { name: 'made', service_provider_sid: sid.P } }),
  },
  'GET /patchbay/accounts/taken': {
    may: everyone,
    answers: 200,
    call: ({ sid }) => `/patchbay/accounts/taken?name=made&service_provider_sid=${sid.P}`,
  },
  'GET /Accounts/:account_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}`,
  },
  'PUT /Accounts/:account_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}`, body: { name: `changed ${unique()}` } }),
  },
  'DELETE /Accounts/:account_sid': {
    // In hosted installations, users of the account must confirm their password. Keys cannot do this.
    may: overA.filter((name) => name !== 'key of A'),
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }, caller) => ({
      path: `/Accounts/${sid.A}`,
      body: includes(ofA, caller) ? { password: worldPassword } : {},
    }),
  },
  'GET /patchbay/accounts/:account_sid/contents': {
    // Created for callers who may delete the account.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/contents`,
  },
  'GET /Accounts/:account_sid/WebhookSecret': {
    // Callers who may edit the account get the complete secret, so reading it counts as writing.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/WebhookSecret`,
  },
  'POST /patchbay/service-providers/:service_provider_sid/bucket-credential-test': {
    may: overP,
    writes: true,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/patchbay/service-providers/${sid.P}/bucket-credential-test`,
      body: { vendor: 'none' },
    }),
  },
  'POST /Accounts/:account_sid/BucketCredentialTest': {
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/BucketCredentialTest`, body: { vendor: 'none' } }),
  },
  'GET /patchbay/accounts/:account_sid/blockers': {
    // Created for callers who may delete the account.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/blockers`,
  },
  'GET /patchbay/accounts/:account_sid/used-elsewhere': {
    // Created for callers who may delete the account.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/used-elsewhere`,
  },
  'GET /Accounts/:account_sid/Limits': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/Limits`,
  },
  'POST /Accounts/:account_sid/Limits': {
    // Only the operator of an account may change its limits.
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Limits`, body: { category: 'device', quantity: 99 } }),
  },
  'DELETE /Accounts/:account_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/Limits`,
  },
  'PUT /patchbay/Accounts/:account_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/Accounts/${sid.A}/Limits`, body: { device: 98 } }),
  },
  'GET /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/Limits`,
  },
  'POST /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Limits`, body: { category: 'device', quantity: 99 } }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/Limits`,
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/ServiceProviders/${sid.P}/Limits`, body: { device: 98 } }),
  },
  'GET /patchbay/audit-trail': {
    may: providersAndAdmins,
    answers: 200,
    refused: permissions,
    call: () => `/patchbay/audit-trail?${firstPage}`,
  },
})
