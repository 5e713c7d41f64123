import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { maskingLimits as limits } from '@patchbay/contract/shared/masking-limits'
import type { ApiError } from '../../api/api-error.ts'
import type { FieldErrors } from '../../form/server-errors.ts'
import { capitalize } from '../../ui/format/text.ts'
import { requiredText, z } from '../../zod.ts'

/** Values of the form of masking rules. */

const patternValues = z.object({
  name: requiredText(limits.name, 'Enter a name'),
  // Spaces at either end can be a part of an expression.
  expression: z
    .string()
    .check(
      z.minLength(1, { error: 'Enter a regular expression' }),
      z.maxLength(limits.expression, { error: `Use at most ${limits.expression} characters` }),
    ),
  replacement: requiredText(limits.replacement, 'Enter a replacement').check(
    z.regex(/^[^[\]\p{Cc}]*$/u, { error: 'Do not use brackets' }),
  ),
})

export const maskingRulesValues = z.object({
  card_numbers: z.boolean(),
  pressed_digits: z.boolean(),
  patterns: z.array(patternValues),
  mute_recordings: z.boolean(),
})
export type MaskingRulesValues = z.infer<typeof maskingRulesValues>

export const toMaskingRulesValues = (rules: MaskingRules): MaskingRulesValues => ({
  card_numbers: rules.card_numbers === 1,
  pressed_digits: rules.pressed_digits === 1,
  patterns: rules.patterns,
  mute_recordings: rules.mute_recordings === 1,
})

const patternField = /^patterns\.\d+\.(?:name|expression|replacement)$/

/** Returns the error of the server at its field. Its message begins with the path of the field, which users do not know. */
export const maskingRulesErrors = ({ field, message, detail }: ApiError): FieldErrors<MaskingRulesValues> => {
  if (field === undefined || !patternField.test(field)) return {}
  const text = (detail ?? message).replace(`${field} `, '')
  return { [field]: capitalize(text) }
}
