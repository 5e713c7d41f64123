import { classifyHost } from '@patchbay/contract/shared/addresses'
import { sipProtocols } from '@patchbay/contract/shared/gateways'
import { useEffect } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useRowFields } from '../../../form/use-fields.ts'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import type { CarrierValues } from '../form/carrier-form.ts'
import { GatewayList, GatewayRow } from '../form/gateway-list.tsx'
import { protocolLabels } from '../form/gateways.ts'
import { UnsavedCheck } from '../form/unsaved-check.tsx'
import type { TrunkKind } from './trunk-kinds.ts'
import { emptyGateway } from './trunk-values.ts'

const protocols = sipProtocols.map((value) => ({ value, label: protocolLabels[value] }))

const Gateway = ({ index, onRemove }: { index: number; onRemove: (() => void) | undefined }) => {
  const path = `sip_gateways.${index}` as const
  const { setValue } = useFormContext<CarrierValues>()
  const field = useRowFields<CarrierValues>()
  const { ipv4, inbound } = useWatch<CarrierValues, typeof path>({ name: path })
  const isName = classifyHost(ipv4).startsWith('fqdn')
  useEffect(() => {
    // Inbound calls are recognized by their IP address, so a domain name can only receive calls.
    if (!isName || !inbound) return
    setValue(`${path}.inbound`, false)
    setValue(`${path}.outbound`, true)
  }, [isName, inbound, path, setValue])
  return (
    <GatewayRow
      path={path}
      name={`SIP gateway ${index + 1}`}
      addressExample="203.0.113.10"
      portExample={isName ? '' : '5060'}
      beside={<SelectField label="Protocol" options={protocols} {...field(`${path}.protocol`)} />}
      flags={
        <>
          <CheckboxField label="Calls to the carrier" {...field(`${path}.outbound`)} />
          {isName ? <span /> : <CheckboxField label="Calls from the carrier" {...field(`${path}.inbound`)} />}
        </>
      }
      onRemove={onRemove}
    />
  )
}

const descriptions: Readonly<Record<TrunkKind, string>> = {
  ip: 'The SIP addresses that the carrier gave you. Calls from the carrier need its IP addresses.',
  auth: 'The SIP addresses that the carrier gave you. Calls from the carrier need its IP addresses.',
  registration: 'Where calls to the carrier are sent. Most carriers use the SIP realm.',
}

/** The gateways of a new trunk, with the settings that carriers state. */
export const TrunkGateways = ({ kind, service_provider_sid }: { kind: TrunkKind; service_provider_sid: string }) => {
  const { control } = useFormContext<CarrierValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'sip_gateways' })
  return (
    <FormSection title="Carrier addresses" description={descriptions[kind]}>
      <GatewayList
        noun="SIP gateway"
        list="sip_gateways"
        heads={['Protocol', 'Calls to the carrier', 'Calls from the carrier']}
        onAdd={() => append(emptyGateway(kind))}
      >
        {() =>
          fields.map(({ id }, index) => (
            <Gateway key={id} index={index} onRemove={fields.length === 1 ? undefined : () => remove(index)} />
          ))
        }
      </GatewayList>
      <UnsavedCheck service_provider_sid={service_provider_sid} />
    </FormSection>
  )
}
