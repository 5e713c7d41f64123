import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { CarrierField } from '../../fields/carrier-field.tsx'
import { SuggestedField } from '../../fields/suggested-field.tsx'
import { requiredSession } from '../../session/session.ts'

const gatewaysQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier-gateways', voip_carrier_sid],
    queryFn: (context) => api('GET /SipGateways', { query: { voip_carrier_sid } }, queryCallOptions(context)),
    enabled: voip_carrier_sid !== '',
  })

/** Returns the addresses from which a carrier sends calls. A host name is no source address. */
const useSources = (voip_carrier_sid: string) => {
  const gateways = useQuery(gatewaysQuery(voip_carrier_sid))
  const sources = (gateways.data ?? []).filter(({ inbound, ipv4 }) => inbound && isIpv4(ipv4)).map(({ ipv4 }) => ipv4)
  return { sources: [...new Set(sources)], isKnown: gateways.isSuccess }
}

interface SourceFieldsProps {
  defaultValue: string
  error: string | undefined
}

/** The source address of a call, which can be one of an existing carrier. */
export const SourceFields = ({ defaultValue, error }: SourceFieldsProps) => {
  const [carrier, setCarrier] = useState('')
  const { sources, isKnown } = useSources(carrier)
  // The address of a carrier replaces the text until the user types another one.
  const [typed, setTyped] = useState<string | undefined>(defaultValue)
  const hint =
    carrier !== '' && isKnown && sources.length === 0
      ? 'The carrier has no gateway with an IP address for inbound calls.'
      : 'Source IP address of the INVITE.'
  return (
    <>
      <CarrierField
        account_sid={requiredSession().actor.account_sid ?? ''}
        label="Carrier"
        hint="Enters the address of an inbound gateway."
        value={carrier}
        onChange={(sid) => {
          setCarrier(sid)
          setTyped(undefined)
        }}
      />
      <SuggestedField
        label="Source address"
        name="source"
        hint={hint}
        required
        mono
        suggestions={sources.map((value) => ({ value }))}
        value={typed ?? sources[0] ?? ''}
        onChange={({ target }) => setTyped(target.value)}
        error={error}
      />
    </>
  )
}
