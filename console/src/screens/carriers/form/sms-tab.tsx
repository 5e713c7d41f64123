import { gatewayLengths, voipCarrierLengths as lengths } from '@patchbay/contract/shared/column-lengths'
import { useFields, useRowError } from '../../../form/use-fields.ts'
import { Plus, Trash2 } from 'lucide-react'
import { use, useState } from 'react'
import { useFieldArray, type UseFieldArrayReturn, useFormContext, useWatch } from 'react-hook-form'
import { StoredSecretField } from '../../../form/stored-secret-field.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/field-frame.tsx'
import { CheckboxField, SelectField } from '../../../ui/field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FieldRow, FormSection } from '../../../ui/form-frame.tsx'
import type { CarrierValues } from './carrier-form.ts'
import styles from './carrier-form.module.css'
import { toNetmaskOptions, newSmppGateway } from './gateways.ts'
import { SmppAddresses } from './platform-addresses.tsx'
import { DeleteGateway, type SavedGateway } from './remove-gateway.tsx'

type Direction = 'inbound' | 'outbound'

interface GatewayProps {
  index: number
  /** Label of the gateway, with its number within the list of its direction. */
  name: string
  direction: Direction
  onRemove: () => void
}

const Gateway = ({ index, name, direction, onRemove }: GatewayProps) => {
  const { register, control } = useFormContext<CarrierValues>()
  const getRowError = useRowError<CarrierValues>()
  const path = `smpp_gateways.${index}` as const
  const row = useWatch({ control, name: path })
  const readOnly = use(ReadOnlyFields)
  return (
    <fieldset className={styles['gateway']}>
      <legend className="visually-hidden">{name}</legend>
      <div className={styles['fields']}>
        <div className={styles['address']}>
          <TextField
            label="Network address"
            required
            mono
            maxLength={gatewayLengths.ipv4}
            autoComplete="off"
            spellCheck={false}
            placeholder={direction === 'outbound' ? 'smpp.example.com' : '10.0.0.1'}
            error={getRowError(`${path}.ipv4`)}
            {...register(`${path}.ipv4`)}
          />
          <TextField
            label="Port"
            inputMode="numeric"
            autoComplete="off"
            placeholder="2775"
            error={getRowError(`${path}.port`)}
            {...register(`${path}.port`)}
          />
          <SelectField
            label="Netmask"
            options={toNetmaskOptions(row.netmask)}
            error={getRowError(`${path}.netmask`)}
            {...register(`${path}.netmask`)}
          />
        </div>
        <div className={styles['flags']}>
          <CheckboxField label="Use TLS" {...register(`${path}.use_tls`)} />
          <CheckboxField label="Primary" {...register(`${path}.is_primary`)} />
          {direction === 'outbound' && (
            <CheckboxField label="Messages come from it, too" {...register(`${path}.inbound`)} />
          )}
        </div>
      </div>
      {!readOnly && (
        <IconButton label={`Delete ${name}`} onClick={onRemove}>
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      )}
    </fieldset>
  )
}

type Rows = UseFieldArrayReturn<CarrierValues, 'smpp_gateways'>

interface PartProps {
  stored: CarrierValues
  rows: Rows
}

/** Shows the gateways of one direction. The form keeps both directions in one array. */
const Gateways = ({ direction, rows: { fields, append, remove } }: { direction: Direction; rows: Rows }) => {
  const { formState, getValues } = useFormContext<CarrierValues>()
  const [deleting, setDeleting] = useState<SavedGateway>()
  const readOnly = use(ReadOnlyFields)
  const problem = formState.errors.smpp_gateways?.root?.message ?? formState.errors.smpp_gateways?.message
  const hasDirection = ({ outbound }: { outbound: boolean }) => outbound === (direction === 'outbound')
  const visibleRows = fields.map((row, index) => ({ row, index })).filter(({ row }) => hasDirection(row))
  const removeAt = (index: number) => {
    // The fields of `useFieldArray` do not reflect values that were set or typed inside a row.
    const { smpp_gateway_sid, ipv4 } = getValues(`smpp_gateways.${index}`)
    if (smpp_gateway_sid === '') remove(index)
    else setDeleting({ kind: 'smpp', smpp_gateway_sid, ipv4, direction })
  }
  const noun = direction === 'outbound' ? 'SMPP outbound gateway' : 'SMPP inbound gateway'
  return (
    <fieldset name={direction === 'outbound' ? 'smpp_gateways' : undefined} className={styles['gateways']}>
      <legend className="visually-hidden">{noun}s</legend>
      {visibleRows.length === 0 && (
        <p className="note">{direction === 'outbound' ? 'Messages are sent to none.' : 'No address is whitelisted.'}</p>
      )}
      {visibleRows.map(({ row, index }, position) => (
        <Gateway
          key={row.id}
          index={index}
          name={`${noun} ${position + 1}`}
          direction={direction}
          onRemove={() => removeAt(index)}
        />
      ))}
      {direction === 'outbound' && problem && (
        <p role="alert" className={styles['error']}>
          {problem}
        </p>
      )}
      {!readOnly && (
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            onClick={() =>
              append({
                ...newSmppGateway,
                inbound: direction === 'inbound',
                outbound: direction === 'outbound',
              })
            }
          >
            Add {noun}
          </Button>
        </div>
      )}
      {deleting && <DeleteGateway gateway={deleting} onClose={() => setDeleting(undefined)} />}
    </fieldset>
  )
}

const Outbound = ({ stored, rows }: PartProps) => {
  const field = useFields<CarrierValues>()
  const { formState } = useFormContext<CarrierValues>()
  const { errors } = formState
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
        <StoredSecretField
          label="Outbound SMPP password"
          name="smpp_password"
          stored={stored.smpp_password}
          error={errors.smpp_password?.message}
        />
      </FieldRow>
      <Gateways direction="outbound" rows={rows} />
    </FormSection>
  )
}

const Inbound = ({ stored, rows }: PartProps) => {
  const field = useFields<CarrierValues>()
  const { control, formState } = useFormContext<CarrierValues>()
  const { errors } = formState
  const gateways = useWatch({ control, name: 'smpp_gateways' })
  return (
    <FormSection
      title="Inbound SMPP"
      description="How the carrier signs in to bring messages, and from which addresses."
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
          error={errors.smpp_inbound_password?.message}
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
      <SmppAddresses service_provider_sid={service_provider_sid} />
      <Outbound stored={stored} rows={rows} />
      <Inbound stored={stored} rows={rows} />
    </>
  )
}
