import { useWatch } from 'react-hook-form'
import { useRowFields } from '../../../form/use-fields.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import type { CarrierValues } from './carrier-form.ts'
import { NetmaskField } from './gateway-list.tsx'
import { isTls } from './gateways.ts'

/** Rare settings of a SIP gateway, and its netmask if the protocol has its column. */
export const SipOptions = ({ path }: { path: `sip_gateways.${number}` }) => {
  const field = useRowFields<CarrierValues>()
  const row = useWatch<CarrierValues, `sip_gateways.${number}`>({ name: path })
  return (
    <>
      {row.outbound && row.inbound && <NetmaskField path={path} hint="Size of the network that calls come from." />}
      <CheckboxField label="Pad crypto" {...field(`${path}.pad_crypto`)} />
      {row.outbound && <CheckboxField label="Send OPTIONS ping" {...field(`${path}.send_options_ping`)} />}
      {row.outbound && isTls(row.protocol) && (
        <>
          <CheckboxField label="Use sips scheme" {...field(`${path}.use_sips_scheme`)} />
          <CheckboxField label="Remove ICE" {...field(`${path}.remove_ice`)} />
          <CheckboxField label="DTLS off" {...field(`${path}.dtls_off`)} />
        </>
      )}
    </>
  )
}
