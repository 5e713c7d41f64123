import { sipProtocols } from '@patchbay/contract/shared/gateways'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useRowFields } from '../../../form/use-fields.ts'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import styles from './carrier-form.module.css'
import type { CarrierValues } from './carrier-form.ts'
import { GatewayList, GatewayRow, NetmaskField } from './gateway-list.tsx'
import { isTls, newSipGateway, protocolLabels } from './gateways.ts'

const protocols = sipProtocols.map((value) => ({ value, label: protocolLabels[value] }))

type Path = `sip_gateways.${number}`

/** A component of its own, so that its fields are registered after the address: the first invalid one gets the focus. */
const Flags = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  const row = useWatch<CarrierValues, Path>({ name: path })
  return (
    <div className={styles['flags']}>
      <CheckboxField label="Active" {...field(`${path}.is_active`)} />
      <CheckboxField label="Inbound" {...field(`${path}.inbound`)} />
      <CheckboxField label="Outbound" {...field(`${path}.outbound`)} />
      <CheckboxField label="Pad crypto" {...field(`${path}.pad_crypto`)} />
      {row.outbound && <CheckboxField label="Send OPTIONS ping" {...field(`${path}.send_options_ping`)} />}
      {row.outbound && isTls(row.protocol) && (
        <>
          <CheckboxField label="Use sips scheme" {...field(`${path}.use_sips_scheme`)} />
          <CheckboxField label="Remove ICE" {...field(`${path}.remove_ice`)} />
          <CheckboxField label="DTLS off" {...field(`${path}.dtls_off`)} />
        </>
      )}
    </div>
  )
}

/** Outbound gateways have a protocol, and inbound ones a netmask. */
const ProtocolOrNetmask = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  const row = useWatch<CarrierValues, Path>({ name: path })
  if (row.outbound) return <SelectField label="Protocol" options={protocols} {...field(`${path}.protocol`)} />
  return row.inbound && <NetmaskField path={path} />
}

const Gateway = ({ index, onRemove }: { index: number; onRemove: (() => void) | undefined }) => {
  const path: Path = `sip_gateways.${index}`
  const row = useWatch<CarrierValues, Path>({ name: path })
  return (
    <GatewayRow
      path={path}
      name={`SIP gateway ${index + 1}`}
      addressExample={row.inbound ? '10.0.0.1' : 'sip.example.com'}
      portExample={isTls(row.protocol) ? '' : '5060'}
      beside={<ProtocolOrNetmask path={path} />}
      onRemove={onRemove}
    >
      {row.outbound && row.inbound && (
        <div className={styles['address']}>
          <NetmaskField path={path} hint="Size of the network that calls come from." />
        </div>
      )}
      <Flags path={path} />
    </GatewayRow>
  )
}

/** SIP gateways of a carrier. */
export const SipGateways = () => {
  const { control, getValues } = useFormContext<CarrierValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'sip_gateways' })
  return (
    <FormSection
      title="SIP gateways"
      description="Addresses that calls come from (inbound) and are sent to (outbound)."
    >
      <GatewayList noun="SIP gateway" list="sip_gateways" onAdd={() => append(newSipGateway)}>
        {(deleteSaved) =>
          fields.map(({ id }, index) => {
            const removeRow = () => {
              // The fields of `useFieldArray` do not reflect values that were set or typed inside a row.
              const { sip_gateway_sid, ipv4 } = getValues(`sip_gateways.${index}`)
              if (sip_gateway_sid === '') remove(index)
              else deleteSaved({ kind: 'sip', sip_gateway_sid, ipv4 })
            }
            return <Gateway key={id} index={index} onRemove={fields.length === 1 ? undefined : removeRow} />
          })
        }
      </GatewayList>
    </FormSection>
  )
}
