import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { type UseFieldArrayReturn, useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { StoredSecretField } from '../../../form/stored-secret-field.tsx'
import { useFields, useRowFields } from '../../../form/use-fields.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { CarrierValues } from './carrier-form.ts'
import { GatewayList, GatewayRow, NetmaskField } from './gateway-list.tsx'
import { newSmppGateway } from './gateways.ts'
import { SmppAddresses } from './platform-addresses.tsx'

type Direction = 'inbound' | 'outbound'
type Path = `smpp_gateways.${number}`

const Flags = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  return (
    <>
      <CheckboxField label="Use TLS" {...field(`${path}.use_tls`)} />
      <CheckboxField label="Primary" {...field(`${path}.is_primary`)} />
    </>
  )
}

const Options = ({ path }: { path: Path }) => {
  const field = useRowFields<CarrierValues>()
  return <CheckboxField label="Also receives messages" {...field(`${path}.inbound`)} />
}

type Rows = UseFieldArrayReturn<CarrierValues, 'smpp_gateways'>

interface PartProps {
  stored: CarrierValues
  rows: Rows
}

/** Shows the gateways of one direction. The form keeps both directions in one array. */
const Gateways = ({ direction, rows: { fields, append, remove } }: { direction: Direction; rows: Rows }) => {
  const { getValues } = useFormContext<CarrierValues>()
  const outbound = direction === 'outbound'
  const visibleRows = fields.map((row, index) => ({ row, index })).filter(({ row }) => row.outbound === outbound)
  const noun = `SMPP ${direction} gateway`
  return (
    <GatewayList
      noun={noun}
      list={outbound ? 'smpp_gateways' : undefined}
      heads={['Netmask', 'Use TLS', 'Primary']}
      onAdd={() => append({ ...newSmppGateway, inbound: !outbound, outbound })}
    >
      {(deleteSaved) =>
        visibleRows.length === 0 ? (
          <p className="note">{outbound ? 'No outbound gateways.' : 'No inbound gateways.'}</p>
        ) : (
          visibleRows.map(({ row, index }, position) => {
            const path = `smpp_gateways.${index}` as const
            return (
              <GatewayRow
                key={row.id}
                path={path}
                name={`${noun} ${position + 1}`}
                addressExample={outbound ? 'smpp.example.com' : '10.0.0.1'}
                portExample="2775"
                beside={<NetmaskField path={path} />}
                flags={<Flags path={path} />}
                options={outbound && <Options path={path} />}
                optionCount={outbound && row.inbound ? 1 : 0}
                onRemove={() => {
                  // The fields of `useFieldArray` do not reflect values that were set or typed inside a row.
                  const { smpp_gateway_sid, ipv4 } = getValues(path)
                  if (smpp_gateway_sid === '') remove(index)
                  else deleteSaved({ kind: 'smpp', smpp_gateway_sid, ipv4, direction })
                }}
              />
            )
          })
        )
      }
    </GatewayList>
  )
}

const Outbound = ({ stored, rows }: PartProps) => {
  const field = useFields<CarrierValues>()
  return (
    <FormSection title="Outbound SMPP" description="How messages are sent to the carrier.">
      <FieldRow>
        <TextField
          label={
            <>
              <span className="visually-hidden">Outbound </span>System ID
            </>
          }
          maxLength={lengths.smpp_system_id}
          autoComplete="off"
          spellCheck={false}
          {...field('smpp_system_id')}
        />
        <StoredSecretField label="Outbound SMPP password" name="smpp_password" stored={stored.smpp_password} />
      </FieldRow>
      <Gateways direction="outbound" rows={rows} />
    </FormSection>
  )
}

const Inbound = ({ service_provider_sid, stored, rows }: PartProps & Pick<SmsTabProps, 'service_provider_sid'>) => {
  const field = useFields<CarrierValues>()
  const { control } = useFormContext<CarrierValues>()
  const gateways = useWatch({ control, name: 'smpp_gateways' })
  return (
    <FormSection
      title="Inbound SMPP"
      description="Credentials and addresses with which the carrier delivers messages."
      action={<SmppAddresses service_provider_sid={service_provider_sid} />}
    >
      <FieldRow>
        <TextField
          label={
            <>
              <span className="visually-hidden">Inbound </span>System ID
            </>
          }
          maxLength={lengths.smpp_inbound_system_id}
          autoComplete="off"
          spellCheck={false}
          {...field('smpp_inbound_system_id')}
        />
        <StoredSecretField
          label="Inbound SMPP password"
          name="smpp_inbound_password"
          required={gateways.some(({ inbound }) => inbound)}
          stored={stored.smpp_inbound_password}
        />
      </FieldRow>
      <Gateways direction="inbound" rows={rows} />
    </FormSection>
  )
}

interface SmsTabProps {
  service_provider_sid: string
  stored: CarrierValues
}

/** SMPP settings of a carrier. */
export const SmsTab = ({ service_provider_sid, stored }: SmsTabProps) => {
  const rows = useFieldArray<CarrierValues, 'smpp_gateways'>({ name: 'smpp_gateways' })
  return (
    <>
      <Outbound stored={stored} rows={rows} />
      <Inbound service_provider_sid={service_provider_sid} stored={stored} rows={rows} />
    </>
  )
}
