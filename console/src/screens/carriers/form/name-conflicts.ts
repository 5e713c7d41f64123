import { queryClient } from '../../../api/query-client.ts'
import { escapeLike } from '../../../api/shared-queries.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { carriersQuery } from '../queries.ts'
import type { CarrierValues } from './carrier-form.ts'

const nameInUse = 'The name you have entered is already in use on another one of your carriers.'

/**
 * Rejects a name that another carrier uses, because users could not distinguish the two. jambonz accepts duplicates.
 */
export const nameErrors = async (
  service_provider_sid: string,
  name: string,
  except?: string,
): Promise<FieldErrors<CarrierValues>> => {
  const { data } = await queryClient.fetchQuery({
    ...carriersQuery(service_provider_sid, { name: escapeLike(name) }),
    staleTime: 0,
  })
  const others = data.filter(({ voip_carrier_sid }) => voip_carrier_sid !== except)
  return others.some((other) => other.name.toLowerCase() === name.toLowerCase()) ? { name: nameInUse } : {}
}
