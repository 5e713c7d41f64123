import type { LimitCategory } from '@patchbay/contract/limits/quantities'
import { type Answer, api } from '../api/client.ts'

/** jambonz changes one limit per request. */

const getChanges = (body: object): [LimitCategory, number | null][] =>
  // The cast is safe: the body has the categories that change, with their quantity.
  Object.entries(body) as [LimitCategory, number | null][]

export const changeAccountLimits: Answer<'PUT /patchbay/Accounts/:account_sid/Limits'> = async ({ params, body }) => {
  for (const [category, quantity] of getChanges(body))
    await (quantity === null
      ? api('DELETE /Accounts/:account_sid/Limits', { params, query: { category } })
      : api('POST /Accounts/:account_sid/Limits', { params, body: { category, quantity } }))
}

export const changeProviderLimits: Answer<'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits'> = async ({
  params,
  body,
}) => {
  for (const [category, quantity] of getChanges(body))
    await (quantity === null
      ? api('DELETE /ServiceProviders/:service_provider_sid/Limits', { params, query: { category } })
      : api('POST /ServiceProviders/:service_provider_sid/Limits', { params, body: { category, quantity } }))
}
