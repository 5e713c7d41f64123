import { maskingLimits as limits } from '@patchbay/contract/shared/masking-limits'
import { RowFields } from '../../form/row-fields.tsx'
import { useRowFields } from '../../form/use-fields.ts'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './masking-rules.module.css'
import type { MaskingRulesValues } from './rules-form.ts'

/** The patterns of a service provider. */
export const PatternFields = () => {
  const field = useRowFields<MaskingRulesValues>()
  return (
    <FormSection
      title="Patterns"
      description="Regular expressions in the syntax of RE2. Put (?i) at the beginning to ignore case. Lookaheads and backreferences are not supported."
    >
      <RowFields<MaskingRulesValues, 'patterns'>
        name="patterns"
        nouns={['pattern', 'patterns']}
        newRow={{ name: '', expression: '', replacement: '' }}
        max={limits.patterns}
        emptyText="No patterns. Add one to mask contract numbers, email addresses, or passwords."
      >
        {(index) => (
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
        )}
      </RowFields>
    </FormSection>
  )
}
