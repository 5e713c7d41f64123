import { useQuery } from '@tanstack/react-query'
import { use } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { errorMessage } from '../../../api/api-error.ts'
import { canOpen } from '../../../routes/define-screen.ts'
import { addSpeech } from '../../../routes/speech-services.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import styles from './application-form.module.css'
import type { ApplicationValues } from './application-form.ts'
import { RecognitionFields } from './recognition-fields.tsx'
import { usableCredentialsQuery } from './speech-queries.ts'
import { SynthesisFields } from './synthesis-fields.tsx'

export { speechErrors } from './speech-check.ts'

const none: readonly never[] = []

/** Returns a function that swaps the primary and the fallback settings. */
const useSwap = () => {
  const { getValues, setValue } = useFormContext<ApplicationValues>()
  return () => {
    const { primary, fallback } = structuredClone(getValues())
    for (const [set, values] of [
      ['primary', fallback],
      ['fallback', primary],
    ] as const) {
      setValue(`${set}.tts`, values.tts, { shouldDirty: true })
      setValue(`${set}.stt`, values.stt, { shouldDirty: true })
    }
  }
}

/** Form section for speech synthesis, speech recognition, and their fallbacks. */
export const SpeechSection = () => {
  const { register, control } = useFormContext<ApplicationValues>()
  const [account_sid, fallsBack] = useWatch({ control, name: ['account_sid', 'fallsBack'] })
  const credentials = useQuery(usableCredentialsQuery(account_sid))
  const swap = useSwap()
  const readOnly = use(ReadOnlyFields)
  const shared = { account_sid, credentials: credentials.data ?? none }
  return (
    <FormSection title="Speech" description="Vendors and voices for speech synthesis and recognition.">
      {credentials.isError && (
        <Banner tone="warn" role="status" title="The speech services of the account could not be loaded.">
          Labels and custom vendors are not available: {errorMessage(credentials.error)}
        </Banner>
      )}
      {credentials.data?.length === 0 && (
        <p className="note">
          The account has no speech service.{' '}
          {canOpen(addSpeech, requiredSession().actor) && !readOnly && (
            <ScreenLink to={addSpeech}>Add a speech service</ScreenLink>
          )}
        </p>
      )}
      <SynthesisFields set="primary" {...shared} />
      <RecognitionFields set="primary" {...shared} />
      <CheckboxField label="Use a fallback speech vendor if primary fails" {...register('fallsBack')} />
      {fallsBack && (
        <div className={styles['set']}>
          {!readOnly && (
            <div>
              <Button size="small" onClick={swap}>
                Swap primary and fallback
              </Button>
            </div>
          )}
          <SynthesisFields set="fallback" {...shared} />
          <RecognitionFields set="fallback" {...shared} />
        </div>
      )}
    </FormSection>
  )
}
