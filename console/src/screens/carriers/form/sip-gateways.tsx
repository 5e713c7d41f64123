import { useRowError } from '../../../form/use-fields.ts'
import { sipProtocols } from '@patchbay/contract/routing/gateways'
import { gatewayLengths } from '@patchbay/contract/shared/column-lengths'
import { Plus, Trash2 } from 'lucide-react'
import { use, useState } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/field-frame.tsx'
import { CheckboxField, SelectField } from '../../../ui/field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { CarrierValues } from './carrier-form.ts'
import styles from './carrier-form.module.css'
import { isTls, toNetmaskOptions, newSipGateway, protocolLabels } from './gateways.ts'
import { DeleteGateway, type SavedGateway } from './remove-gateway.tsx'

const protocols = sipProtocols.map((value) => ({ value, label: protocolLabels[value] }))

interface GatewayProps {
  index: number
  /** Undefined if the gateway cannot be removed. */
  onRemove: (() => void) | undefined
}

const Gateway = ({ index, onRemove }: GatewayProps) => {
  const { register, control } = useFormContext<CarrierValues>()
  const getRowError = useRowError<CarrierValues>()
  const path = `sip_gateways.${index}` as const
  const row = useWatch({ control, name: path })
  const readOnly = use(ReadOnlyFields)
  return (
    <fieldset className={styles['gateway']}>
      <legend className="visually-hidden">{`SIP gateway ${index + 1}`}</legend>
      <div className={styles['fields']}>
        <div className={styles['address']}>
          <TextField
            label="Network address"
            required
            mono
            maxLength={gatewayLengths.ipv4}
            autoComplete="off"
            spellCheck={false}
            placeholder={row.inbound ? '10.0.0.1' : 'sip.example.com'}
            error={getRowError(`${path}.ipv4`)}
            {...register(`${path}.ipv4`)}
          />
          <TextField
            label="Port"
            inputMode="numeric"
            autoComplete="off"
            placeholder={isTls(row.protocol) ? '' : '5060'}
            error={getRowError(`${path}.port`)}
            {...register(`${path}.port`)}
          />
          {row.outbound && <SelectField label="Protocol" options={protocols} {...register(`${path}.protocol`)} />}
          {!row.outbound && row.inbound && (
            <SelectField
              label="Netmask"
              options={toNetmaskOptions(row.netmask)}
              error={getRowError(`${path}.netmask`)}
              {...register(`${path}.netmask`)}
            />
          )}
        </div>
        {row.outbound && row.inbound && (
          <div className={styles['address']}>
            <SelectField
              label="Netmask"
              hint="Of the addresses that calls come from."
              options={toNetmaskOptions(row.netmask)}
              error={getRowError(`${path}.netmask`)}
              {...register(`${path}.netmask`)}
            />
          </div>
        )}
        <div className={styles['flags']}>
          <CheckboxField label="Active" {...register(`${path}.is_active`)} />
          <CheckboxField label="Inbound" error={getRowError(`${path}.inbound`)} {...register(`${path}.inbound`)} />
          <CheckboxField label="Outbound" {...register(`${path}.outbound`)} />
          <CheckboxField label="Pad crypto" {...register(`${path}.pad_crypto`)} />
          {row.outbound && <CheckboxField label="Send OPTIONS ping" {...register(`${path}.send_options_ping`)} />}
          {row.outbound && isTls(row.protocol) && (
            <>
              <CheckboxField label="Use sips scheme" {...register(`${path}.use_sips_scheme`)} />
              <CheckboxField label="Remove ICE" {...register(`${path}.remove_ice`)} />
              <CheckboxField label="DTLS off" {...register(`${path}.dtls_off`)} />
            </>
          )}
        </div>
      </div>
      {!readOnly && (
        <IconButton
          label={`Delete SIP gateway ${index + 1}`}
          disabledReason={onRemove ? undefined : 'A carrier keeps at least one SIP gateway.'}
          onClick={onRemove}
        >
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      )}
    </fieldset>
  )
}

/** SIP gateways of a carrier. */
export const SipGateways = () => {
  const { control, formState, getValues } = useFormContext<CarrierValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'sip_gateways' })
  const [deleting, setDeleting] = useState<SavedGateway>()
  const readOnly = use(ReadOnlyFields)
  const removeAt = (index: number) => {
    // The fields of `useFieldArray` do not reflect values that were set or typed inside a row.
    const { sip_gateway_sid, ipv4 } = getValues(`sip_gateways.${index}`)
    if (sip_gateway_sid === '') remove(index)
    else setDeleting({ kind: 'sip', sip_gateway_sid, ipv4 })
  }
  const problem = formState.errors.sip_gateways?.root?.message ?? formState.errors.sip_gateways?.message
  return (
    <FormSection
      title="SIP gateways"
      description="Where calls come from (inbound) and where they are sent to (outbound)."
    >
      <fieldset name="sip_gateways" className={styles['gateways']}>
        <legend className="visually-hidden">SIP gateways</legend>
        {fields.map((row, index) => (
          <Gateway key={row.id} index={index} onRemove={fields.length === 1 ? undefined : () => removeAt(index)} />
        ))}
        {problem && (
          <p role="alert" className={styles['error']}>
            {problem}
          </p>
        )}
        {!readOnly && (
          <div>
            <Button size="small" icon={<Plus size={14} aria-hidden="true" />} onClick={() => append(newSipGateway)}>
              Add SIP gateway
            </Button>
          </div>
        )}
      </fieldset>
      {deleting && <DeleteGateway gateway={deleting} onClose={() => setDeleting(undefined)} />}
    </FormSection>
  )
}
