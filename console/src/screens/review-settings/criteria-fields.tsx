import { reviewLimits as limits } from '@patchbay/contract/shared/review-limits'
import { Plus, Trash2 } from 'lucide-react'
import { use } from 'react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { useFields, useRowFields } from '../../form/use-fields.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../ui/fields/field-frame.tsx'
import { FieldGroup, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import type { ReviewSettingsValues } from './settings-form.ts'

/** The criteria that reviewers rate, and the labels that they can choose. */
export const CriteriaFields = () => {
  const field = useFields<ReviewSettingsValues>()
  const rowField = useRowFields<ReviewSettingsValues>()
  const { control } = useFormContext<ReviewSettingsValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'criteria' })
  const readOnly = use(ReadOnlyFields)
  const isFull = fields.length >= limits.criteria
  return (
    <FormSection
      title="Criteria and labels"
      description="Reviewers rate each call, and each criterion, from 1 (bad) to 5 (good). Stored reviews keep the names of criteria that you change."
    >
      {fields.length === 0 && <p className="note">No criteria. Reviewers rate each call as a whole.</p>}
      {fields.map(({ id }, index) => {
        const number = index + 1
        return (
          <FieldGroup key={id} legend={`Criterion ${number}`}>
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
            {!readOnly && (
              <div>
                <Button size="small" icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => remove(index)}>
                  Remove criterion {number}
                </Button>
              </div>
            )}
          </FieldGroup>
        )
      })}
      {!readOnly && (
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={isFull ? `At most ${limits.criteria} criteria.` : undefined}
            onClick={() => append({ name: '', description: '' })}
          >
            Add criterion
          </Button>
        </div>
      )}
      <TextArea
        label="Labels"
        hint="One label per line, such as hallucination. Reviewers can also enter others."
        rows={3}
        {...field('labels')}
      />
    </FormSection>
  )
}
