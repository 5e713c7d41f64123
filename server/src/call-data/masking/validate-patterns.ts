import { throwInvalid } from '@patchbay/contract/api/errors'
import type { MaskingPattern } from '@patchbay/contract/masking-rules'
import { maskingLimits } from '@patchbay/contract/shared/masking-limits'

type Compile = (expression: string) => { programSize(): number; matcher(text: string): { find(): boolean } }

/** Returns what is wrong with an expression, as the end of a sentence, or undefined. */
const findProblem = (expression: string, compile: Compile): string | undefined => {
  try {
    const compiled = compile(expression)
    if (compiled.programSize() > maskingLimits.instructions)
      return 'is too complex. Use smaller repetition counts, or several patterns.'
    return compiled.matcher('').find() ? 'must not match an empty text' : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    return `is not a regular expression in the syntax of RE2: ${reason}`
  }
}

/**
 * Checks the expressions of patterns.
 * @throws ApiError `invalid` with the field of the first invalid expression, such as `patterns.2.expression`
 */
export const validatePatterns = async (patterns: readonly MaskingPattern[]): Promise<void> => {
  if (patterns.length === 0) return
  const { RE2JS: engine } = await import('re2js')
  for (const [at, { expression }] of patterns.entries()) {
    const field = `patterns.${at}.expression`
    const problem = findProblem(expression, (text) => engine.compile(text))
    if (problem !== undefined) throwInvalid(`${field} ${problem}`, field)
  }
}
