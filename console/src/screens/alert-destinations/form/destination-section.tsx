import { alertDestinationLengths as lengths } from '@patchbay/contract/alert-destinations/record'
import {
  type DestinationKind,
  destinationKindLabels,
  destinationKinds,
} from '@patchbay/contract/shared/destination-kinds'
import { alertTypes, formatAlertType } from '@patchbay/rules/alerts/alerts'
import { useFormContext, useWatch } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { CheckboxField, SelectField, SwitchField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { DestinationValues } from './destination-form.ts'

const kindOptions = destinationKinds.map((value) => ({ value, label: destinationKindLabels[value] }))

/** Label and hint of the target, by kind. */
const targetLabels: Readonly<Record<DestinationKind, { label: string; hint: string }>> = {
  webhook: {
    label: 'Address',
    hint: 'Receives a POST request with JSON, signed in the Jambonz-Signature header. Redirects are not followed.',
  },
  slack: {
    label: 'Address of the incoming webhook',
    hint: 'Create it in Slack under Apps, Incoming Webhooks. Mattermost and Rocket.Chat work as well.',
  },
  pagerduty: {
    label: 'Integration key',
    hint: 'Add an integration of the type Events API v2 to a PagerDuty service, and copy its key.',
  },
  email: {
    label: 'Email address',
    hint: 'Receives an email with a confirmation link. Alerts are sent after it is confirmed.',
  },
}

interface DestinationSectionProps {
  /** Provider that the account selector lists accounts of. Absent if the owner is fixed. */
  service_provider_sid?: string
}

/** Form fields for the owner, the target, and the alert types of a destination. */
export const DestinationSection = ({ service_provider_sid }: DestinationSectionProps) => {
  const field = useFields<DestinationValues>()
  const name = field('name')
  const account = useSelection<DestinationValues>('account_sid')
  const kind = useWatch<DestinationValues, 'kind'>({ name: 'kind' })
  return (
    <>
      <FormSection
        title="Destination"
        description="Alerts are sent within seconds. Patchbay combines frequent alerts: at most five messages or one email per minute."
      >
        <TextField label="Name" required maxLength={lengths.name} autoComplete="off" {...name} />
        <FieldRow>
          {service_provider_sid !== undefined && (
            <AccountField
              {...account}
              label="Alerts of"
              all="The service provider and all its accounts"
              service_provider_sid={service_provider_sid}
            />
          )}
          <SelectField label="Kind" options={kindOptions} {...field('kind')} />
        </FieldRow>
        <TextField
          {...targetLabels[kind]}
          required
          mono
          maxLength={lengths.target}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('target')}
        />
        <FieldRow>
          <SwitchField
            label="Once per type and hour"
            hint="Sends only the first alert of each type within an hour."
            {...field('once_per_hour')}
          />
          <SwitchField label="Send alerts" {...field('is_active')} />
        </FieldRow>
      </FormSection>
      <TypesSection />
    </>
  )
}

const TypesSection = () => {
  const field = useFields<DestinationValues>()
  const { register, formState } = useFormContext<DestinationValues>()
  const [isNarrowed, selectedTypes] = useWatch<DestinationValues, ['is_narrowed', 'types']>({
    name: ['is_narrowed', 'types'],
  })
  const stored = formState.defaultValues?.types ?? []
  const availableTypes = [...new Set([...alertTypes, ...stored, ...selectedTypes].filter((type) => type !== undefined))]
  return (
    <FormSection title="Types" description="If off, alerts of all types are sent.">
      <CheckboxField label="Only alerts of some types" {...field('is_narrowed')}>
        {isNarrowed && (
          <FieldRow>
            {availableTypes.map((type) => (
              <CheckboxField key={type} label={formatAlertType(type)} value={type} {...register('types')} />
            ))}
          </FieldRow>
        )}
      </CheckboxField>
    </FormSection>
  )
}
