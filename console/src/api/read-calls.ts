import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { api, type CallOptions } from './client.ts'
import type { OwnerSid } from './record-queries.ts'

export type CallQuery = QueryInput<Contract['GET /Accounts/:account_sid/RecentCalls']>

/** Reads calls of an account, or of a service provider and all its accounts. */
export const readCalls = (owner: OwnerSid, query: CallQuery, how: CallOptions = {}) =>
  owner.account_sid === undefined
    ? api('GET /ServiceProviders/:service_provider_sid/RecentCalls', { params: owner, query }, how)
    : api('GET /Accounts/:account_sid/RecentCalls', { params: owner, query }, how)
