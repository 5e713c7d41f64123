import { findVendor } from '@patchbay/contract/speech/catalogue'
import { isOn } from '@patchbay/contract/speech/descriptor'
import type { SpeechCredential, SpeechLists } from '@patchbay/contract/speech-credentials'
import { languageChoices, selectSynthesis, voiceChoices } from '@patchbay/rules/speech/choices'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { speechListsQuery } from '../../api/speech-lists.ts'
import { SearchableSelectField } from '../../fields/searchable-select-field.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { VoicePreview } from '../../sections/voice-preview/voice-preview.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ownPath } from './queries.ts'

const toOptions = (choices: readonly { value: string; name: string }[]) =>
  choices.map(({ value, name }) => ({ value, label: name }))

interface SpeakerProps {
  service: SpeechCredential
  lists: SpeechLists
}

const Speaker = ({ service, lists }: SpeakerProps) => {
  const synthesis = findVendor(service.vendor)?.tts ?? {}
  const [spoken, setSpoken] = useState(() => selectSynthesis(synthesis, lists, { language: 'en-US', voice: '' }, true))
  const accounts = useKnownAccounts().data
  const { typed } = synthesis
  const isTyped = typed === true || (typed !== undefined && isOn(Reflect.get(service, typed.voiceWhen)))
  const chooseLanguage = (language: string) =>
    setSpoken(selectSynthesis(synthesis, lists, { language, voice: '' }, false))
  return (
    <FormSection title="Hear it" description="Synthesizes a sentence with these credentials.">
      <FieldRow>
        {typed === true ? (
          <TextField
            label="Language"
            value={spoken.language}
            onChange={({ target }) => setSpoken({ ...spoken, language: target.value })}
          />
        ) : (
          synthesis.voices !== 'models' && (
            <SearchableSelectField
              label="Language"
              options={toOptions(languageChoices(synthesis, lists))}
              value={spoken.language}
              onChange={chooseLanguage}
            />
          )
        )}
        {isTyped ? (
          <TextField
            label="Voice"
            value={spoken.voice}
            onChange={({ target }) => setSpoken({ ...spoken, voice: target.value })}
          />
        ) : (
          <SearchableSelectField
            label="Voice"
            options={toOptions(voiceChoices(synthesis, lists, spoken.language))}
            placeholder={spoken.voice === '' ? 'Choose a voice' : undefined}
            value={spoken.voice}
            onChange={(voice) => setSpoken({ ...spoken, voice })}
          />
        )}
      </FieldRow>
      <VoicePreview
        account_sid={service.account_sid ?? accounts?.[0]?.account_sid}
        speech_credential_sid={service.speech_credential_sid}
        {...spoken}
      />
    </FormSection>
  )
}

const noLists: SpeechLists = {}

/**
 * Plays a sample of a service's voices. The sample of a service for all accounts is requested for the first account.
 */
export const HearTab = ({ service }: { service: SpeechCredential }) => {
  const { vendor, label } = service
  const isListed = findVendor(vendor)?.tts?.typed !== true
  const lists = useQuery({
    ...speechListsQuery(ownPath(useProviderSid()), { vendor, label: label ?? '' }),
    enabled: isListed,
  })
  if (!isListed) return <Speaker service={service} lists={noLists} />
  if (lists.data === undefined) return <FormLoading queries={[lists]} sections={1} />
  return <Speaker service={service} lists={lists.data} />
}
