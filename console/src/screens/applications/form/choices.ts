import type { SpeechChoice } from '@patchbay/contract/speech-credentials'
import type { SelectOption } from '../../../ui/field.tsx'

/** Returns the options of a select field. The current value stays an option even if it is no longer offered. */
export const optionsWith = (choices: readonly SpeechChoice[], chosen: string): SelectOption[] => {
  const options = choices.map(({ value, name }) => ({ value, label: name }))
  return chosen === '' || choices.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }]
}
