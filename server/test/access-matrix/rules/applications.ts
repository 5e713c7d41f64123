import { member, type TestApi } from '@patchbay/testkit/test-api'
import { everyone, includes, membersOfP, ofA, ofA2, ofB, ofQ, overA, overP } from '../callers.ts'
import { defineRules, notFound, permissions, privileges, unique } from '../rule.ts'

/** Creates an application whose webhooks do not respond. */
const createUnreachableApplication = async (api: TestApi, account_sid: string): Promise<string> => {
  const hook = { url: 'http://127.0.0.1:1' }
  const body = { name: unique(), account_sid, call_hook: hook, call_status_hook: hook }
  return member(await api.admin.post('/Applications', body), 'sid')
}

export const rules = defineRules({
  'GET /Applications': { may: everyone, answers: 200, call: () => '/Applications' },
  'GET /Accounts/:account_sid/Applications': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Applications`,
  },
  'GET /ServiceProviders/:service_provider_sid/Applications': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/Applications`,
  },
  'GET /Applications/:application_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/Applications/${things.A.application_sid}`,
  },
  'POST /Applications': {
    // Accounts always add to their own account. Only a provider can name a wrong one.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({
      path: '/Applications',
      body: {
        name: unique(),
        account_sid: sid.A,
        call_hook: { url: 'https://app.example.org' },
        call_status_hook: { url: 'https://app.example.org' },
      },
    }),
  },
  'PUT /Applications/:application_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: (caller) => (includes(ofQ, caller) ? permissions : privileges),
    call: ({ things }) => ({
      path: `/Applications/${things.A.application_sid}`,
      body: { name: unique(), call_hook: { url: 'https://changed.example.org' } },
    }),
  },
  'DELETE /Applications/:application_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: (caller) => [includes(ofQ, caller) ? 403 : 422, 'insufficient permissions'],
    call: ({ things }) => `/Applications/${things.A.application_sid}`,
  },
  'GET /patchbay/applications/:application_sid/used-by': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/applications/${things.A.application_sid}/used-by`,
  },
  'POST /patchbay/applications/:application_sid/webhook-test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: notFound,
    call: async ({ api, sid }) => ({
      path: `/patchbay/applications/${await createUnreachableApplication(api, sid.A)}/webhook-test`,
      body: { hook: 'call_hook', from: '1', to: '2' },
    }),
  },
  'POST /patchbay/applications/:application_sid/phone-sessions': {
    may: overA,
    writes: true,
    answers: 201,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/applications/${things.A.application_sid}/phone-sessions`, body: {} }),
  },
  'GET /AppEnv': {
    may: everyone,
    // No server listens at this address.
    answers: 204,
    call: () => '/AppEnv?url=http://127.0.0.1:1',
  },
})
