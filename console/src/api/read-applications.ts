import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { api, type CallOptions } from './client.ts'
import { pageIn } from './list-page.ts'

export type ApplicationQuery = QueryInput<Contract['GET /Accounts/:account_sid/Applications']>

/** Reads applications of an account, or of all accounts of a service provider. */
export const readApplications = async (
  owner: { account_sid: string } | { service_provider_sid: string },
  query: ApplicationQuery,
  how: CallOptions = {},
) =>
  pageIn(
    await ('account_sid' in owner
      ? api('GET /Accounts/:account_sid/Applications', { params: owner, query }, how)
      : api('GET /ServiceProviders/:service_provider_sid/Applications', { params: owner, query }, how)),
  )
