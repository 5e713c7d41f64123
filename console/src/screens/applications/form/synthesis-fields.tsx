import { applicationLengths as lengths } from '@patchbay/contract/applications/record'
import {
  credentialFor,
  firstVoice,
  getTypedFields,
  type ListedCredential,
  labelChoices,
  languageChoices,
  selectSynthesis,
  voiceChoices,
} from '@patchbay/rules/speech/choices'
import { describeVendor } from '@patchbay/rules/speech/generic'
import { useMemo, useState } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { SearchableSelectField } from '../../../fields/searchable-select-field.tsx'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { Button } from '../../../ui/button.tsx'
import { FieldRow } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { ApplicationValues } from './application-form.ts'
import type { SpeechSet, SpeechValues } from './speech-values.ts'
import {
  optionsWith,
  speechListsKey,
  useOwnVoices,
  useSpeechLists,
  useStart,
  vendorHint,
  vendorOptions,
} from './use-speech-lists.ts'

/** Loads on first use, because few users play previews. */
const LazyVoicePreview = lazyPart(
  'hear-it',
  async () => (await import('../../../sections/voice-preview/voice-preview.tsx')).VoicePreview,
)

export interface SpeechFieldsProps {
  set: SpeechSet
  account_sid: string
  credentials: readonly ListedCredential[]
}

type Synthesized = SpeechValues['tts']

/**
 * Fields for vendor, label, language, and voice. When the vendor or the label changes, language and voice are selected
 * automatically as soon as the vendor's lists have loaded.
 */
export const SynthesisFields = ({ set, account_sid, credentials }: SpeechFieldsProps) => {
  const { clearErrors, formState } = useFormContext<ApplicationValues>()
  const { field } = useController<ApplicationValues, `${SpeechSet}.tts`>({ name: `${set}.tts` })
  const current = field.value
  const { vendor, label, language, voice } = current
  const errors = formState.errors[set]?.tts
  const synthesis = describeVendor(vendor).tts ?? {}
  const typed = getTypedFields(synthesis, credentials, { use: 'tts', vendor, label, account_sid })
  const ofVendor = useSpeechLists(vendor, label, !typed.language)
  const customVoices = useOwnVoices(synthesis.customVoices === true, account_sid, label)
  const lists = useMemo(() => ofVendor && customVoices && { ...ofVendor, own: customVoices }, [ofVendor, customVoices])
  const change = (more: Partial<Synthesized>) => {
    clearErrors(`${set}.tts`)
    field.onChange({ ...current, ...more })
  }
  const begin = useStart(lists, speechListsKey(vendor, label), (loadedLists, isOtherVendor) => {
    const spoken = selectSynthesis(synthesis, loadedLists, { language, voice }, isOtherVendor)
    change(typed.voice ? { language: spoken.language } : spoken)
  })
  const choose = (chosen: { vendor: string; label: string }, more: Partial<Synthesized>) => {
    begin(speechListsKey(chosen.vendor, chosen.label), chosen.vendor !== vendor)
    change({ ...chosen, ...more })
  }
  const chooseVendor = (chosen: string) => {
    const [first] = labelChoices(credentials, { use: 'tts', vendor: chosen, account_sid })
    const isTyped = describeVendor(chosen).tts?.typed === true
    choose({ vendor: chosen, label: first?.value ?? '' }, { voice: '', ...(isTyped ? { language: '' } : {}) })
  }
  const labels = labelChoices(credentials, { use: 'tts', vendor, account_sid })
  const owner = { credentials, account_sid }
  const called = set === 'primary' ? 'Synthesis' : 'Fallback synthesis'
  const frame = (name: keyof Synthesized, text: string) => ({
    label: `${called} ${text}`,
    name: `${set}.tts.${name}`,
    error: errors?.[name]?.message,
    onBlur: field.onBlur,
  })
  const typedText = (name: 'language' | 'voice') => ({
    ...frame(name, name),
    required: true,
    maxLength: lengths[`speech_synthesis_${name}`],
    autoComplete: 'off',
    spellCheck: false,
    value: current[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  })
  const [hears, setHears] = useState(false)
  const credential = credentialFor(credentials, { use: 'tts', vendor, label, account_sid })
  const offered = lists ?? ofVendor ?? {}
  const hasLanguages = synthesis.voices !== 'models'
  return (
    <>
      <FieldRow>
        <SearchableSelectField
          {...frame('vendor', 'vendor')}
          hint={vendorHint('tts', owner, vendor)}
          options={vendorOptions('tts', owner, vendor)}
          value={vendor}
          onChange={chooseVendor}
        />
        {(labels.length > 0 || label !== '') && (
          <SearchableSelectField
            {...frame('label', 'label')}
            options={optionsWith(labels, label)}
            value={label}
            onChange={(chosen) => choose({ vendor, label: chosen }, {})}
          />
        )}
      </FieldRow>
      <FieldRow>
        {typed.language ? (
          <TextField {...typedText('language')} />
        ) : (
          hasLanguages && (
            <SearchableSelectField
              {...frame('language', 'language')}
              options={optionsWith(languageChoices(synthesis, offered), language)}
              value={language}
              onChange={(chosen) =>
                change({ language: chosen, ...(typed.voice ? {} : { voice: firstVoice(synthesis, offered, chosen) }) })
              }
            />
          )
        )}
        {typed.voice ? (
          <TextField {...typedText('voice')} />
        ) : (
          <SearchableSelectField
            {...frame('voice', hasLanguages ? 'voice' : 'model')}
            options={optionsWith(voiceChoices(synthesis, offered, language), voice)}
            placeholder={voice === '' ? 'Not set' : undefined}
            value={voice}
            onChange={(chosen) => change({ voice: chosen })}
          />
        )}
      </FieldRow>
      {hears ? (
        <LazyVoicePreview
          account_sid={account_sid || undefined}
          speech_credential_sid={credential && String(credential['speech_credential_sid'])}
          language={language}
          voice={voice}
        />
      ) : (
        <div>
          <Button size="small" variant="ghost" onClick={() => setHears(true)}>
            Hear this voice
            {set === 'fallback' && <span className="visually-hidden">, the fallback</span>}
          </Button>
        </div>
      )}
    </>
  )
}
