import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { queryClient } from '../../../api/query-client.ts'
import { carrierQuery } from '../../../api/record-queries.ts'
import type { ConflictFormatters } from '../../../form/conflict-dialog.tsx'
import { shortSid } from '../../../ui/format/sid.tsx'
import type { RouteValues } from './lcr-form.ts'

/** Returns the name of a carrier from the query cache, or its short SID if it is not cached. */
const carrierName = (sid: string): string => {
  const lists = queryClient.getQueriesData<{ data: readonly VoipCarrier[] }>({ queryKey: ['carriers'] })
  const listed = lists.flatMap(([, list]) => list?.data ?? []).find(({ voip_carrier_sid }) => voip_carrier_sid === sid)
  return (listed ?? queryClient.getQueryData(carrierQuery(sid).queryKey))?.name ?? shortSid(sid)
}

const isRoutes = (value: unknown): value is RouteValues[] => Array.isArray(value)

/** Formatters for the message about conflicting edits. Routes show the names of their carriers. */
export const conflictFormatters: ConflictFormatters = {
  default_voip_carrier_sid: (value) => (typeof value === 'string' && value !== '' ? carrierName(value) : ''),
  routes: (value) =>
    isRoutes(value)
      ? value.map(({ regex, voip_carrier_sid }) => `${regex} over ${carrierName(voip_carrier_sid)}`).join('\n')
      : '',
}
