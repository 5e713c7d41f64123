import { reviewLimits as limits } from '@patchbay/contract/shared/review-limits'
import { RowFields } from '../../form/row-fields.tsx'
import { useFields, useRowFields } from '../../form/use-fields.ts'
import { TextArea } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import type { ReviewSettingsValues } from './settings-form.ts'

/** The criteria that reviewers rate, and the labels that they can choose. */
export const CriteriaFields = () => {
  const field = useFields<ReviewSettingsValues>()
  const rowField = useRowFields<ReviewSettingsValues>()
  return (
    <FormSection
      title="Criteria and labels"
      description="Reviewers rate each call, and each criterion, from 1 (bad) to 5 (good). Stored reviews keep the names of criteria that you change."
    >
      <RowFields<ReviewSettingsValues, 'criteria'>
        name="criteria"
        nouns={['criterion', 'criteria']}
        newRow={{ name: '', description: '' }}
        max={limits.criteria}
        emptyText="No criteria. Reviewers rate each call as a whole."
      >
        {(index) => (
          <>
            <TextField
              label="Name"
              placeholder="Answer"
              required
              autoComplete="off"
              {...rowField(`criteria.${index}.name`)}
            />
            <TextField
              label="Description"
              placeholder="Correct and complete"
              autoComplete="off"
              {...rowField(`criteria.${index}.description`)}
            />
          </>
        )}
      </RowFields>
      <TextArea
        label="Labels"
        hint="One label per line, such as hallucination. Reviewers can also enter others."
        rows={3}
        {...field('labels')}
      />
    </FormSection>
  )
}
