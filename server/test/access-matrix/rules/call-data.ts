import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { storeCall, storeCapturedCall, storeRecordedCall, storeTracedCall } from '../../fixtures.ts'
import { includes, overA, overP, viewOnly } from '../callers.ts'
import { defineRules, firstPage, privileges } from '../rule.ts'

/** By default, view-only users cannot search in transcripts. */
const noSearch: [number, string] = [
  403,
  'View-only users cannot search in these transcripts. Users who can change the account can allow it in its settings.',
]

const quality = 'from=2026-11-01&until=2026-11-30'

const unknownReport = '?sip_callid=a-call-id&numbers=masked&addresses=all'

export const rules = defineRules({
  'GET /Accounts/:account_sid/RecentCalls': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/RecentCalls?${firstPage}`,
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/RecentCalls?${firstPage}`,
  },
  'GET /patchbay/accounts/:account_sid/call-legs': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/call-legs?sip_callid=a-call-id`,
  },
  'GET /patchbay/accounts/:account_sid/recent-calls.csv': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/recent-calls.csv`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/recent-calls.csv': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/recent-calls.csv`,
  },
  'GET /patchbay/accounts/:account_sid/call-quality': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/call-quality?${quality}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/call-quality': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/call-quality?${quality}`,
  },
  'GET /patchbay/accounts/:account_sid/conversation-quality': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/conversation-quality?${quality}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversation-quality': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/conversation-quality?${quality}`,
  },
  'GET /patchbay/accounts/:account_sid/conversations': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/conversations?${quality}`,
  },
  'GET /patchbay/accounts/:account_sid/conversation-limits': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/conversation-limits`,
  },
  'PUT /patchbay/accounts/:account_sid/conversation-limits': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/patchbay/accounts/${sid.A}/conversation-limits`,
      body: { gap_p95_ms: 1500 },
    }),
  },
  'GET /patchbay/Accounts/:account_sid/ConversationSearch': {
    may: overA.filter((caller) => !includes(viewOnly, caller)),
    answers: 200,
    refused: (caller) => (includes(overA, caller) ? noSearch : privileges),
    call: ({ sid }) => `/patchbay/Accounts/${sid.A}/ConversationSearch?q=hello&${firstPage}`,
  },
  'GET /patchbay/ServiceProviders/:service_provider_sid/ConversationSearch': {
    may: overP.filter((caller) => !includes(viewOnly, caller)),
    answers: 200,
    refused: (caller) => (includes(overP, caller) ? noSearch : privileges),
    call: ({ sid }) => `/patchbay/ServiceProviders/${sid.P}/ConversationSearch?q=hello&${firstPage}`,
  },
  'GET /patchbay/Accounts/:account_sid/TranscriptSettings': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/Accounts/${sid.A}/TranscriptSettings`,
  },
  'PUT /patchbay/Accounts/:account_sid/TranscriptSettings': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/Accounts/${sid.A}/TranscriptSettings`, body: { access: 'off' } }),
  },
  'GET /patchbay/accounts/:account_sid/overview': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/overview`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversations': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/conversations?${quality}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversation-limits': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/conversation-limits`,
  },
  'PUT /patchbay/service-providers/:service_provider_sid/conversation-limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/patchbay/service-providers/${sid.P}/conversation-limits`,
      body: { gap_p95_ms: 1500 },
    }),
  },
  'GET /patchbay/service-providers/:service_provider_sid/overview': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/overview`,
  },
  'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const trace_id = await storeTracedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/trace/${trace_id}` }
    },
  },
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const owner = { account_sid: A, service_provider_sid: P }
      const trace_id = await storeTracedCall(api, owner)
      const call_sid = await storeCall(api, { ...owner, trace_id })
      return { path: `/patchbay/accounts/${A}/calls/${call_sid}/conversation` }
    },
  },
  'GET /patchbay/Accounts/:account_sid/CallShares': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/Accounts/${sid.A}/CallShares`,
  },
  'GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/patchbay/Accounts/${sid.A}/Calls/${randomUUID()}/Shares`,
  },
  'POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P })
      return {
        path: `/patchbay/Accounts/${A}/Calls/${call_sid}/Shares`,
        body: { expires_in_hours: 1, includes_recording: 0 },
      }
    },
  },
  'DELETE /patchbay/Accounts/:account_sid/CallShares/:call_share_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P })
      const share = { expires_in_hours: 1, includes_recording: 0 }
      const shared = await api.admin.post(`/patchbay/Accounts/${A}/Calls/${call_sid}/Shares`, share)
      return `/patchbay/Accounts/${A}/CallShares/${member(shared, 'sid')}`
    },
  },
  // The token of a caller is not that of a link.
  'GET /patchbay/shared-call': { may: 'public', answers: 404, says: 'Not Found', call: () => '/patchbay/shared-call' },
  'GET /patchbay/shared-call/recording': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => '/patchbay/shared-call/recording',
  },
  'GET /patchbay/accounts/:account_sid/call-report.html': {
    may: overA,
    answers: 404,
    says: 'Call not found',
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/call-report.html${unknownReport}`,
  },
  'GET /patchbay/accounts/:account_sid/call-report.pcap': {
    may: overA,
    answers: 404,
    says: 'Call not found',
    refused: privileges,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/call-report.pcap${unknownReport}`,
  },
  'GET /patchbay/shared-report': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => '/patchbay/shared-report',
  },
  'GET /patchbay/shared-report/report.html': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => '/patchbay/shared-report/report.html',
  },
  'GET /patchbay/shared-report/call.pcap': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => '/patchbay/shared-report/call.pcap',
  },
  'POST /patchbay/Accounts/:account_sid/ConversationEvents': {
    may: 'public',
    answers: 401,
    says: 'The Jambonz-Signature header is missing or malformed. Send t=<seconds since 1970>,v1=<HMAC-SHA256>.',
    call: ({ sid: { A } }) => ({ path: `/patchbay/Accounts/${A}/ConversationEvents`, body: [] }),
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const trace_id = await storeTracedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/trace/${trace_id}` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${call_sid}/logs` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': {
    may: overP,
    answers: 400,
    says: 'account_sid is required: use /Accounts/{account_sid}/RecentCalls/{call_sid}/logs',
    refused: privileges,
    call: ({ sid: { P } }) => `/ServiceProviders/${P}/RecentCalls/${randomUUID()}/logs`,
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${sip_callid}` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/${sip_callid}` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${sip_callid}/invite/pcap` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/${sip_callid}/invite/pcap` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => ({
      path: `/Accounts/${A}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => ({
      path: `/Accounts/${A}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => ({
      path: `/ServiceProviders/${P}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ api, sid: { A, P } }) => ({
      path: `/ServiceProviders/${P}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
})
