import { everyone, ofA, ofA2, ofB, overA, overP } from '../callers.ts'
import { defineRules, permissions, recordRules, unique } from '../rule.ts'

export const rules = defineRules({
  'GET /Clients': { may: everyone, answers: 200, call: () => '/Clients' },
  'POST /Clients': {
    // Accounts always add to their own account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: '/Clients', body: { account_sid: sid.A, username: unique() } }),
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
  ...recordRules('/Clients', 'client_sid', () => ({ is_active: false })),
})
