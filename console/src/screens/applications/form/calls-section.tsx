import { useQuery } from '@tanstack/react-query'
import { useFormContext, useWatch } from 'react-hook-form'
import { config } from '../../../api/configuration.ts'
import { accountQuery } from '../../../api/record-queries.ts'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import type { ApplicationValues } from './application-form.ts'

const VerbsField = lazyPart('verbs-field', async () => (await import('./verbs-field.tsx')).VerbsField)

/** Returns whether the recording option is shown: not if the account already records all calls. */
const useMayRecord = (account_sid: string): boolean => {
  const isOffered = !config().switches.has('no-call-recording') && account_sid !== ''
  const account = useQuery({ ...accountQuery(account_sid), enabled: isOffered }).data
  return isOffered && account !== undefined && !account.record_all_calls
}

/** Form section for the initial verbs and for call recording. */
export const CallsSection = () => {
  const { register, control } = useFormContext<ApplicationValues>()
  const [overrides, account_sid] = useWatch({ control, name: ['overrides', 'account_sid'] })
  const canRecord = useMayRecord(account_sid)
  const canOverride = !config().switches.has('no-initial-application')
  if (!canRecord && !canOverride) return null
  return (
    <FormSection title="Calls" description="Initial verbs and call recording.">
      {canOverride && (
        <CheckboxField
          label="Override webhook for initial application"
          hint="Calls start with these verbs instead of a request to the calling webhook."
          {...register('overrides')}
        >
          {overrides && <VerbsField />}
        </CheckboxField>
      )}
      {canRecord && (
        <CheckboxField
          label="Record all calls"
          hint="Records every call of this application in the storage of its account."
          {...register('record_all_calls')}
        />
      )}
    </FormSection>
  )
}
