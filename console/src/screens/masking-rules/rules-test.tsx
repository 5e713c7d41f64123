import { maskingLimits } from '@patchbay/contract/shared/masking-limits'
import { useState } from 'react'
import { type FieldPath, useFormContext } from 'react-hook-form'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import styles from './masking-rules.module.css'
import { type MaskingRulesValues, maskingRulesErrors } from './rules-form.ts'

/** Masks a text by the rules in the form, which need not be saved. */
export const RulesTest = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { getValues, setError, trigger } = useFormContext<MaskingRulesValues>()
  const [text, setText] = useState('')
  const mask = useAction({
    run: async () => {
      const params = { service_provider_sid }
      const body = { ...getValues(), text }
      return api('POST /patchbay/ServiceProviders/:service_provider_sid/MaskingRules/test', { params, body })
    },
    quiet: true,
  })
  const fieldErrors = mask.error instanceof ApiError ? maskingRulesErrors(mask.error) : {}
  const hasFieldError = Object.keys(fieldErrors).length > 0
  const onTest = async () => {
    if (!(await trigger(undefined, { shouldFocus: true }))) return
    try {
      await mask.mutateAsync()
    } catch (error) {
      if (!(error instanceof ApiError)) return
      for (const [name, message] of Object.entries(maskingRulesErrors(error)))
        setError(name as FieldPath<MaskingRulesValues>, { message }, { shouldFocus: true })
    }
  }
  return (
    <FormSection title="Test" description="Shows how the rules above mask a text. Neither is stored.">
      <TextArea
        label="Text"
        rows={3}
        maxLength={maskingLimits.testText}
        placeholder="My card is 4111 1111 1111 1111 and expires in June."
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          mask.reset()
        }}
      />
      <div>
        <Button
          disabledReason={text.trim() === '' ? 'Enter a text.' : undefined}
          busy={mask.isPending}
          onClick={() => void onTest()}
        >
          Test rules
        </Button>
      </div>
      {mask.error && !hasFieldError && <Banner tone="bad">{errorMessage(mask.error)}</Banner>}
      <output className={styles['result']} aria-label="Masked text">
        {mask.data?.text}
      </output>
    </FormSection>
  )
}
