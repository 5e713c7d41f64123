import { storeCall } from '../../fixtures.ts'
import { membersOfP, overA, overP } from '../callers.ts'
import type { MatrixWorld } from '../matrix-world.ts'
import { defineRules, privileges } from '../rule.ts'

/** Reviews of calls, and what a provider sets for them. */

const period = 'from=2026-11-01&until=2026-11-30'

const createCallPath = async ({ api, sid: { A, P } }: MatrixWorld): Promise<string> => {
  const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P })
  return `/patchbay/accounts/${A}/calls/${call_sid}`
}

const ofCall = { may: overA, refused: privileges }
const ofProvider = { may: overP, refused: privileges }

export const rules = defineRules({
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/reviews': {
    ...ofCall,
    answers: 200,
    call: async (world) => `${await createCallPath(world)}/reviews`,
  },
  'PUT /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': {
    ...ofCall,
    writes: true,
    answers: 204,
    call: async (world) => ({ path: `${await createCallPath(world)}/reviews/own`, body: { score: 4 } }),
  },
  'DELETE /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': {
    ...ofCall,
    writes: true,
    answers: 204,
    call: async (world) => `${await createCallPath(world)}/reviews/own`,
  },
  'PUT /patchbay/accounts/:account_sid/calls/:call_sid/assignee': {
    ...ofCall,
    writes: true,
    answers: 204,
    call: async (world) => ({ path: `${await createCallPath(world)}/assignee`, body: { user_sid: null } }),
  },
  'POST /patchbay/accounts/:account_sid/calls/:call_sid/reviews/model': {
    ...ofCall,
    writes: true,
    answers: 404,
    says: 'This call has no conversation that a language model could check.',
    call: async (world) => ({ path: `${await createCallPath(world)}/reviews/model`, body: undefined }),
  },
  'GET /patchbay/accounts/:account_sid/reviewers': {
    ...ofCall,
    answers: 200,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/reviewers`,
  },
  'GET /patchbay/accounts/:account_sid/reviews': {
    ...ofCall,
    answers: 200,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/reviews?${period}`,
  },
  'GET /patchbay/accounts/:account_sid/reviews.csv': {
    ...ofCall,
    answers: 200,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/reviews.csv?${period}`,
  },
  'GET /patchbay/accounts/:account_sid/reviews.jsonl': {
    ...ofCall,
    answers: 200,
    call: ({ sid }) => `/patchbay/accounts/${sid.A}/reviews.jsonl?${period}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews': {
    ...ofProvider,
    answers: 200,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/reviews?${period}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews.csv': {
    ...ofProvider,
    answers: 200,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/reviews.csv?${period}`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews.jsonl': {
    ...ofProvider,
    answers: 200,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/reviews.jsonl?${period}`,
  },
  'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': {
    may: membersOfP,
    refused: privileges,
    answers: 200,
    call: ({ sid }) => `/patchbay/ServiceProviders/${sid.P}/ReviewSettings`,
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': {
    ...ofProvider,
    writes: true,
    answers: 204,
    call: ({ sid }) => ({ path: `/patchbay/ServiceProviders/${sid.P}/ReviewSettings`, body: { random_percent: 5 } }),
  },
  'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': {
    ...ofProvider,
    answers: 200,
    call: ({ sid }) => `/patchbay/ServiceProviders/${sid.P}/ReviewModel`,
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': {
    ...ofProvider,
    writes: true,
    answers: 204,
    call: ({ sid }) => ({ path: `/patchbay/ServiceProviders/${sid.P}/ReviewModel`, body: { daily_limit: 5 } }),
  },
})
