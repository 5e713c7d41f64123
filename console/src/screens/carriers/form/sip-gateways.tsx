import { sipProtocols } from '@patchbay/contract/shared/gateways'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useRowFields } from '../../../form/use-fields.ts'
import { lazyContent } from '../../../lazy/lazy-content.tsx'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import type { CarrierValues } from './carrier-form.ts'
import { GatewayList, GatewayRow, NetmaskField } from './gateway-list.tsx'
import { isTls, newSipGateway, protocolLabels } from './gateways.ts'
import { SbcAddresses } from './platform-addresses.tsx'
import { UnsavedCheck } from './unsaved-check.tsx'

const protocols = sipProtocols.map((value) => ({ value, label: protocolLabels[value] }))

type Path = `sip_gateways.${number}`

/** Loads when the options of a gateway are opened. */
const SipOptions = lazyContent('sip-options', async () => (await import('./sip-options.tsx')).SipOptions)

/** A component of its own, so that its fields are registered after the address: the first invalid one gets the focus. */
const Flags = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  return (
    <>
      <CheckboxField label="Inbound" {...field(`${path}.inbound`)} />
      <CheckboxField label="Outbound" {...field(`${path}.outbound`)} />
      <CheckboxField label="Active" {...field(`${path}.is_active`)} />
    </>
  )
}

/** Outbound gateways have a protocol, and inbound ones a netmask. */
const ProtocolOrNetmask = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  const row = useWatch<CarrierValues, Path>({ name: path })
  if (row.outbound) return <SelectField label="Protocol" options={protocols} {...field(`${path}.protocol`)} />
  return row.inbound && <NetmaskField path={path} />
}

const optionFields = ['pad_crypto', 'send_options_ping', 'use_sips_scheme', 'remove_ice', 'dtls_off'] as const

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
      flags={<Flags path={path} />}
      options={<SipOptions path={path} />}
      optionCount={optionFields.filter((name) => row[name]).length}
      onRemove={onRemove}
    />
  )
}

/** SIP gateways of a carrier. */
export const SipGateways = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { control, getValues } = useFormContext<CarrierValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'sip_gateways' })
  return (
    <FormSection
      title="SIP gateways"
      description="Addresses that calls come from (inbound) and are sent to (outbound)."
      action={<SbcAddresses service_provider_sid={service_provider_sid} />}
    >
      <GatewayList
        noun="SIP gateway"
        list="sip_gateways"
        heads={['Netmask or protocol', 'Inbound', 'Outbound', 'Active']}
        onAdd={() => append(newSipGateway)}
      >
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
      <UnsavedCheck service_provider_sid={service_provider_sid} />
    </FormSection>
  )
}
