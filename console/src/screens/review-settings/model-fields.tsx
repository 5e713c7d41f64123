import type { ReviewModel } from '@patchbay/contract/review-model'
import { useFormContext, useWatch } from 'react-hook-form'
import { StoredSecretField } from '../../form/stored-secret-field.tsx'
import { useFields } from '../../form/use-fields.ts'
import { CheckboxField, TextArea } from '../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatCount } from '../../ui/format/text.ts'
import type { ReviewSettingsValues } from './settings-form.ts'

/** The language model that checks calls. */
export const ModelFields = ({ stored }: { stored: ReviewModel }) => {
  const field = useFields<ReviewSettingsValues>()
  const { control } = useFormContext<ReviewSettingsValues>()
  const isEnabled = useWatch({ control, name: 'is_enabled' })
  return (
    <FormSection
      title="Language model"
      description="A language model can review calls before people do. It receives the transcript after all masking rules, never recordings, phone numbers, or pressed digits. Its reviews are marked."
    >
      <CheckboxField
        label="Check calls with a language model"
        hint="Transcripts are sent to the server below. Accounts without transcripts are left out."
        {...field('is_enabled')}
      />
      {isEnabled && (
        <>
          <TextField
            label="URL"
            hint="The base URL of an API like that of OpenAI. /chat/completions is added to it."
            placeholder="https://api.openai.com/v1"
            required
            mono
            autoComplete="off"
            spellCheck={false}
            {...field('url')}
          />
          <FieldRow>
            <TextField
              label="Model"
              placeholder="gpt-4o-mini"
              required
              mono
              autoComplete="off"
              spellCheck={false}
              {...field('model')}
            />
            <StoredSecretField label="API key" name="api_key" stored={stored.api_key ?? ''} />
          </FieldRow>
          <TextArea
            label="Instructions"
            hint="Describe the task of the agent, and what matters in its calls."
            placeholder="The agent takes reservations of a restaurant. It must repeat date, time, and number of guests."
            {...field('instructions')}
          />
          <CheckboxField
            label="Check all calls to review"
            hint="Otherwise, reviewers start a check at a call."
            {...field('is_automatic')}
          />
          <FieldRow>
            <TextField
              label="Checks per day"
              hint={`Limits the cost. ${formatCount(stored.used_today)} of this day (UTC) are used.`}
              inputMode="numeric"
              required
              {...field('daily_limit')}
            />
          </FieldRow>
        </>
      )}
    </FormSection>
  )
}
