import { voipCarrierLengths as lengths } from '@patchbay/contract/voip-carriers/record'
import { useState } from 'react'
import { carrierQuery } from '../../../api/record-queries.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { RecordForm } from '../../../form/record-form.tsx'
import { StoredSecretField } from '../../../form/stored-secret-field.tsx'
import { useFields, useRowFields } from '../../../form/use-fields.ts'
import { useRecordForm } from '../../../form/use-record-form.tsx'
import { carrierList } from '../../../routes/carriers.ts'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { type CarrierValues, carrierFieldErrors } from '../form/carrier-form.ts'
import { changeCarrier } from '../form/save-carrier.ts'
import { createTemplateSchema, getPlaceholder, type Placeholders, withoutPlaceholders } from './template-values.ts'

interface TemplateFormProps {
  voip_carrier_sid: string
  /** Values of the new carrier, with the placeholders of the template. */
  created: CarrierValues
  placeholders: Placeholders
}

/** Asks for what a template lacks: credentials, prefixes, and parts of addresses. */
export const TemplateForm = ({ voip_carrier_sid, created, placeholders }: TemplateFormProps) => {
  const { fields, gateways } = placeholders
  const [before] = useState(created)
  const [start] = useState(() => withoutPlaceholders(created, placeholders))
  const [schema] = useState(() => createTemplateSchema(placeholders))
  const { mutateAsync } = useAction({
    run: (values: CarrierValues) => changeCarrier({ voip_carrier_sid, values, before, setSid: () => {} }),
    done: () => 'Carrier updated successfully',
    changes: [['carriers'], ['gateway-counts'], ['sip-gateways'], carrierQuery(voip_carrier_sid).queryKey],
  })
  const state = useRecordForm<CarrierValues>({
    schema,
    stored: start,
    toFieldErrors: carrierFieldErrors,
    save: async (values) => {
      await mutateAsync(values)
    },
  })
  return (
    <RecordForm label="Complete the carrier" state={state} list={carrierList}>
      <FormSection
        title="Your values"
        description={`${created.name} has been created. Enter the values that its portal shows for your account.`}
      >
        <Credentials fields={fields} />
        {gateways.map((index) => (
          <GatewayAddress key={index} index={index} pattern={created.sip_gateways[index]?.ipv4 ?? ''} />
        ))}
      </FormSection>
    </RecordForm>
  )
}

const plain = { autoComplete: 'off', spellCheck: false } as const

const Credentials = ({ fields }: Pick<Placeholders, 'fields'>) => {
  const field = useFields<CarrierValues>()
  return (
    <>
      {fields.has('register_username') && (
        <FieldRow>
          <TextField
            label="Auth username"
            required
            maxLength={lengths.register_username}
            {...plain}
            {...field('register_username')}
          />
          <StoredSecretField label="Password" name="register_password" required stored="" />
        </FieldRow>
      )}
      {fields.has('inbound_auth_username') && (
        <FieldRow>
          <TextField
            label="Inbound username"
            required
            maxLength={lengths.inbound_auth_username}
            {...plain}
            {...field('inbound_auth_username')}
          />
          <StoredSecretField label="Inbound password" name="inbound_auth_password" required stored="" />
        </FieldRow>
      )}
      {fields.has('tech_prefix') && (
        <TextField
          label="Tech prefix"
          required
          hint="Prepended to the called number."
          maxLength={lengths.tech_prefix}
          {...plain}
          {...field('tech_prefix')}
        />
      )}
      {fields.has('diversion') && (
        <TextField
          label="SIP Diversion Header"
          hint="Optional."
          maxLength={lengths.diversion}
          {...plain}
          {...field('diversion')}
        />
      )}
    </>
  )
}

const GatewayAddress = ({ index, pattern }: { index: number; pattern: string }) => {
  const field = useRowFields<CarrierValues>()
  return (
    <TextField
      label={`Network address of SIP gateway ${index + 1}`}
      required
      hint={`Replace ${getPlaceholder(pattern)}.`}
      mono
      {...plain}
      {...field(`sip_gateways.${index}.ipv4`)}
    />
  )
}
