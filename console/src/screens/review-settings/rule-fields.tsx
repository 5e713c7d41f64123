import { useFields } from '../../form/use-fields.ts'
import { CheckboxField } from '../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import type { ReviewSettingsValues } from './settings-form.ts'

/** The rules that select calls for review. */
export const RuleFields = () => {
  const field = useFields<ReviewSettingsValues>()
  return (
    <FormSection
      title="Calls to review"
      description="Calls with a voice agent that end from now on are listed for review if one of these rules selects them."
    >
      <CheckboxField label="Calls with slow responses" {...field('slow')}>
        <FieldRow>
          <TextField label="Response gap of at least" inputMode="numeric" after="ms" {...field('slow_ms')} />
        </FieldRow>
      </CheckboxField>
      <CheckboxField
        label="Calls with interruptions"
        hint="The caller or the agent began to speak before the other had finished."
        {...field('interrupted')}
      />
      <CheckboxField label="Calls with errors" {...field('failed')} />
      <FieldRow>
        <TextField
          label="Random sample of all calls"
          hint="Includes good calls, so that scores can be compared. 0 selects none."
          inputMode="numeric"
          after="%"
          required
          {...field('random_percent')}
        />
      </FieldRow>
    </FormSection>
  )
}
