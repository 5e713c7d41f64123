import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import type { SavePart } from '../../form/save-in-parts.ts'
import type { SaveOptions } from '../../form/use-record-form.tsx'
import { changedLimits, type LimitsValues, limitLabels } from './limits.ts'

/**
 * Returns the request that saves the limits of a form, or none if there is no change.
 * @param options the stored limits as the user has seen them
 */
export const limitParts = (
  { account_sid, service_provider_sid }: OwnerSid,
  limits: LimitsValues,
  before: LimitsValues,
  options: SaveOptions = {},
): SavePart[] => {
  const changes = changedLimits(limits, before)
  if (changes.length === 0) return []
  const body = Object.fromEntries(changes.map(({ category, limit }) => [category, limit]))
  const save = () =>
    account_sid === undefined
      ? api(
          'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits',
          { params: { service_provider_sid }, body },
          options,
        )
      : api('PUT /patchbay/Accounts/:account_sid/Limits', { params: { account_sid }, body }, options)
  return [
    {
      what: changes.map(({ category }) => limitLabels[category]).join(', '),
      save,
      record: 'limits',
      values: { limits },
    },
  ]
}
