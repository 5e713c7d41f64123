import { randomUUID } from 'node:crypto'
import { admins, includes, ofA, ofP, overA, overP } from '../callers.ts'
import { defineRules, permissions, privileges } from '../rule.ts'

export const rules = defineRules({
  'GET /patchbay/service-providers/:service_provider_sid/live-calls': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/live-calls`,
  },
  'GET /Accounts/:account_sid/Calls': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Calls`,
  },
  'POST /Accounts/:account_sid/Calls': {
    // Providers are denied but their accounts are not, as in the API of jambonz.
    may: [...admins, ...ofA],
    writes: true,
    answers: 201,
    refused: (caller, { sid }) =>
      includes(ofP, caller) ? [400, `unauthorized createCall request for account ${sid.A}`] : permissions,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/Calls`,
      body: { from: '1508', to: { type: 'user', name: 'desk' }, application_sid: things.A.application_sid },
    }),
  },
  'GET /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Calls/${randomUUID()}`,
  },
  'PUT /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 202,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}`, body: { call_status: 'completed' } }),
  },
  'POST /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 202,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}`, body: { call_status: 'completed' } }),
  },
  'DELETE /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Calls/${randomUUID()}`,
  },
  'GET /Accounts/:account_sid/CallCount': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/CallCount`,
  },
  'POST /Accounts/:account_sid/Messages': {
    may: ofA,
    writes: true,
    answers: 201,
    refused: (caller, { sid }) =>
      includes([...admins, ...ofP], caller)
        ? [400, `unauthorized createMessage request for account ${sid.A}`]
        : permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Messages`, body: { from: '1508', to: '1617', text: 'hello' } }),
  },
  'GET /Accounts/:account_sid/Queues': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Queues`,
  },
  'GET /Accounts/:account_sid/Conferences': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/Conferences`,
  },
})
