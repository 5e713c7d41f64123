import type { SpeechChoice } from '@patchbay/contract/speech-credentials'
import type { SelectOption } from '../../../ui/field.tsx'

/** Choices of a select; what is chosen stays one, whatever is offered now. */
export const optionsWith = (choices: readonly SpeechChoice[], chosen: string): SelectOption[] => {
  const options = choices.map(({ value, name }) => ({ value, label: name }))
  return chosen === '' || choices.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }]
}
