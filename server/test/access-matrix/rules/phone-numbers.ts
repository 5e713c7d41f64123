import { everyone, membersOfP, ofA, ofA2, ofB, overA, overP } from '../callers.ts'
import { defineRules, notFound, permissions, privileges, recordRules, unique } from '../rule.ts'

export const rules = defineRules({
  'GET /PhoneNumbers': { may: everyone, answers: 200, call: () => '/PhoneNumbers' },
  'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/PhoneNumbers`,
  },
  'POST /PhoneNumbers': {
    // Accounts always add to their own account. Only a provider can name a wrong one.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({ path: '/PhoneNumbers', body: { number: unique(), account_sid: sid.A } }),
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
  ...recordRules('/PhoneNumbers', 'phone_number_sid', ({ things }) => ({ application_sid: things.A.application_sid }), {
    read: notFound,
    write: privileges,
  }),
})
