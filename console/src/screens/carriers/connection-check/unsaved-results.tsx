import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { api } from '../../../api/client.ts'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { isSame } from '../../../form/compare-values.ts'
import type { CarrierValues } from '../form/carrier-form.ts'
import { toSipGatewayPayload } from '../form/gateways.ts'
import { summarizeCheck } from './check-labels.ts'
import { GatewayResults } from './gateway-results.tsx'

type CheckedValues = Pick<CarrierValues, 'account_sid' | 'outbound_sip_proxy' | 'sip_gateways'>

const toBody = ({ account_sid, outbound_sip_proxy, sip_gateways }: CheckedValues, service_provider_sid: string) => ({
  account_sid: account_sid || null,
  service_provider_sid,
  outbound_sip_proxy: outbound_sip_proxy.trim() || null,
  gateways: sip_gateways
    .filter(({ is_active }) => is_active)
    .map((row) => {
      const { ipv4, port, netmask, outbound, protocol, use_sips_scheme } = toSipGatewayPayload(row)
      return { ipv4, port, netmask, outbound, protocol, use_sips_scheme }
    }),
})

interface UnsavedResultsProps {
  service_provider_sid: string
  /** Number of the check in this form. */
  attempt: number
}

/** Checks the gateways that the form contains when this appears, and shows the results until they change. */
export const UnsavedResults = ({ service_provider_sid, attempt }: UnsavedResultsProps) => {
  const { getValues } = useFormContext<CarrierValues>()
  const [account_sid, outbound_sip_proxy, sip_gateways] = useWatch<
    CarrierValues,
    ['account_sid', 'outbound_sip_proxy', 'sip_gateways']
  >({ name: ['account_sid', 'outbound_sip_proxy', 'sip_gateways'] })
  const [body] = useState(() => toBody(getValues(), service_provider_sid))
  const { data, error, isFetching } = useQuery({
    queryKey: ['unsaved-check', body, attempt],
    queryFn: ({ signal }) => api('POST /patchbay/carriers/connection-check', { body }, { signal }),
    enabled: body.gateways.length > 0,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  // The result of other gateways than the displayed ones would mislead.
  if (!isSame(toBody({ account_sid, outbound_sip_proxy, sip_gateways }, service_provider_sid), body)) return null
  if (body.gateways.length === 0) return <output>There is no active gateway to check.</output>
  return (
    <>
      {error && <ErrorBanner error={error} what="The connection could not be checked" />}
      <output>
        {isFetching
          ? 'Checking the connection…'
          : data && summarizeCheck({ ...data, gateway_count: data.gateways.length })}
      </output>
      {data && !isFetching && (
        <>
          <GatewayResults gateways={data.gateways} />
          <p className="note">
            Patchbay sent a SIP OPTIONS request to each active gateway. The Patchbay server may have another address
            than your SBCs.
          </p>
        </>
      )}
    </>
  )
}
