import { maskingLimits as limits } from '@patchbay/contract/shared/masking-limits'
import { Plus, Trash2 } from 'lucide-react'
import { use } from 'react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { useRowFields } from '../../form/use-fields.ts'
import { Button } from '../../ui/button.tsx'
import { ReadOnlyFields } from '../../ui/fields/field-frame.tsx'
import { FieldGroup, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './masking-rules.module.css'
import type { MaskingRulesValues } from './rules-form.ts'

/** The patterns of a service provider. */
export const PatternFields = () => {
  const field = useRowFields<MaskingRulesValues>()
  const { control } = useFormContext<MaskingRulesValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'patterns' })
  const readOnly = use(ReadOnlyFields)
  const isFull = fields.length >= limits.patterns
  return (
    <FormSection
      title="Patterns"
      description="Regular expressions in the syntax of RE2. Put (?i) at the beginning to ignore case. Lookaheads and backreferences are not supported."
    >
      {fields.length === 0 && (
        <p className="note">No patterns. Add one to mask contract numbers, email addresses, or passwords.</p>
      )}
      {fields.map(({ id }, index) => {
        const number = index + 1
        return (
          <FieldGroup key={id} legend={`Pattern ${number}`}>
            <div className={styles['pattern']}>
              <TextField
                label="Name"
                placeholder="Contract numbers"
                required
                autoComplete="off"
                {...field(`patterns.${index}.name`)}
              />
              <TextField
                label="Replacement"
                hint="Shown in brackets."
                placeholder="contract number"
                required
                autoComplete="off"
                {...field(`patterns.${index}.replacement`)}
              />
              <TextField
                label="Regular expression"
                placeholder="(?i)\bcontract \d{6}\b"
                required
                mono
                autoComplete="off"
                spellCheck={false}
                {...field(`patterns.${index}.expression`)}
              />
            </div>
            {!readOnly && (
              <div>
                <Button size="small" icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => remove(index)}>
                  Remove pattern {number}
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
            disabledReason={isFull ? `At most ${limits.patterns} patterns.` : undefined}
            onClick={() => append({ name: '', expression: '', replacement: '' })}
          >
            Add pattern
          </Button>
        </div>
      )}
    </FormSection>
  )
}
