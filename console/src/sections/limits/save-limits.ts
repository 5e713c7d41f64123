import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import type { SavePart } from '../../form/save-in-parts.ts'
import { changedLimits, type LimitChange, type LimitsValues, limitLabels } from './limits.ts'

const save = ({ account_sid, service_provider_sid }: OwnerSid, { category, limit }: LimitChange) => {
  if (account_sid !== undefined)
    return limit === null
      ? api('DELETE /Accounts/:account_sid/Limits', { params: { account_sid }, query: { category } })
      : api('POST /Accounts/:account_sid/Limits', { params: { account_sid }, body: { category, quantity: limit } })
  const params = { service_provider_sid }
  return limit === null
    ? api('DELETE /ServiceProviders/:service_provider_sid/Limits', { params, query: { category } })
    : api('POST /ServiceProviders/:service_provider_sid/Limits', { params, body: { category, quantity: limit } })
}

/** The calls that make the limits what they are in the form. */
export const limitParts = (owner: OwnerSid, values: LimitsValues, before: LimitsValues): SavePart[] =>
  changedLimits(values, before).map((change) => ({
    what: limitLabels[change.category],
    save: () => save(owner, change),
  }))
