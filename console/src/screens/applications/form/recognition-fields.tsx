import { applicationLengths as lengths } from '@patchbay/contract/applications/record'
import { labelChoices, recognitionLanguageChoices, selectRecognitionLanguage } from '@patchbay/rules/speech/choices'
import { describeVendor } from '@patchbay/rules/speech/generic'
import { useController, useFormContext } from 'react-hook-form'
import { SearchableSelectField } from '../../../fields/searchable-select-field.tsx'
import { FieldRow } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { ApplicationValues } from './application-form.ts'
import type { SpeechSet, SpeechValues } from './speech-values.ts'
import type { SpeechFieldsProps } from './synthesis-fields.tsx'
import { optionsWith, speechListsKey, useSpeechLists, useStart, vendorHint, vendorOptions } from './use-speech-lists.ts'

type Recognized = SpeechValues['stt']

/** Fields for vendor, label, and language. */
export const RecognitionFields = ({ set, account_sid, credentials }: SpeechFieldsProps) => {
  const { clearErrors, formState } = useFormContext<ApplicationValues>()
  const { field } = useController<ApplicationValues, `${SpeechSet}.stt`>({ name: `${set}.stt` })
  const current = field.value
  const { vendor, label, language } = current
  const errors = formState.errors[set]?.stt
  const recognition = describeVendor(vendor).stt ?? {}
  const hasLists = !recognition.typed && recognition.language !== 'none'
  const lists = useSpeechLists(vendor, label, hasLists)
  const change = (more: Partial<Recognized>) => {
    clearErrors(`${set}.stt`)
    field.onChange({ ...current, ...more })
  }
  const begin = useStart(lists, speechListsKey(vendor, label), (loadedLists) =>
    change({ language: selectRecognitionLanguage(recognition, loadedLists, language) }),
  )
  const chooseVendor = (chosen: string) => {
    const [first] = labelChoices(credentials, { use: 'stt', vendor: chosen, account_sid })
    const listens = describeVendor(chosen).stt ?? {}
    const credential = first?.value ?? ''
    begin(speechListsKey(chosen, credential), true)
    change({
      vendor: chosen,
      label: credential,
      ...(listens.typed ? { language: selectRecognitionLanguage(listens, {}, language) } : {}),
    })
  }
  const labels = labelChoices(credentials, { use: 'stt', vendor, account_sid })
  const owner = { credentials, account_sid }
  const called = set === 'primary' ? 'Recognition' : 'Fallback recognition'
  const frame = (name: keyof Recognized) => ({
    label: `${called} ${name}`,
    name: `${set}.stt.${name}`,
    error: errors?.[name]?.message,
    onBlur: field.onBlur,
  })
  return (
    <FieldRow>
      <SearchableSelectField
        {...frame('vendor')}
        hint={vendorHint('stt', owner, vendor)}
        options={vendorOptions('stt', owner, vendor)}
        value={vendor}
        onChange={chooseVendor}
      />
      {(labels.length > 0 || label !== '') && (
        <SearchableSelectField
          {...frame('label')}
          options={optionsWith(labels, label)}
          value={label}
          onChange={(chosen) => change({ label: chosen })}
        />
      )}
      {recognition.typed && (
        <TextField
          {...frame('language')}
          required
          maxLength={lengths.speech_recognizer_language}
          autoComplete="off"
          spellCheck={false}
          value={language}
          onChange={({ target }) => change({ language: target.value })}
        />
      )}
      {hasLists && (
        <SearchableSelectField
          {...frame('language')}
          options={optionsWith(recognitionLanguageChoices(lists ?? {}), language)}
          value={language}
          onChange={(chosen) => change({ language: chosen })}
        />
      )}
    </FieldRow>
  )
}
