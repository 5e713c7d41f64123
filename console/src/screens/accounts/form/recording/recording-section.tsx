import { useFormContext, useWatch } from 'react-hook-form'
import { config } from '../../../../api/configuration.ts'
import { lazyPart } from '../../../../lazy/lazy-part.tsx'
import { CheckboxField } from '../../../../ui/fields/field.tsx'
import { FormSection } from '../../../../ui/fields/form-frame.tsx'
import type { AccountValues } from '../account-form.ts'

const RecordingFields = lazyPart('recording', async () => (await import('./recording-fields.tsx')).RecordingFields)

/** Call recording settings. The fields load when recording is first enabled. */
export const RecordingSection = ({ account_sid }: { account_sid?: string }) => {
  const { register, control } = useFormContext<AccountValues>()
  const enabled = useWatch({ control, name: 'recording.enabled' })
  if (config().switches.has('no-call-recording')) return null
  return (
    <FormSection title="Call recording" description="Recordings are stored in your own bucket.">
      <CheckboxField label="Enable call recording" {...register('recording.enabled')}>
        {enabled && <RecordingFields account_sid={account_sid} />}
      </CheckboxField>
    </FormSection>
  )
}
