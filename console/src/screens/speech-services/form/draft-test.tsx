import type { SpeechTest } from '@patchbay/contract/speech-credentials'
import type { Uses } from '@patchbay/rules/speech/credential'
import { type ReactNode, use } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { useDraftTest } from '../../../form/use-draft-test.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { Button } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { failureReason, notEnabled, toHealth } from '../outcome.ts'
import { ServiceState } from '../service-state.tsx'
import { type SpeechValues, toCreatePayload, toPayload, usesIn } from './speech-form.ts'

/** Tests of credentials that are not saved. */

/** The platform's own API server tests stored credentials only. */
export const canTestDrafts = (): boolean => config().extensions.has('unsaved-tests')

interface DraftTestProps<Draft extends object> {
  label: string
  /** The values that a click tests. */
  draft: Draft
  uses: Uses
  /** Returns whether the draft is complete, after it has shown what is missing. */
  check: () => Promise<boolean>
  run: (draft: Draft) => Promise<SpeechTest>
}

/** Button that tests a draft, and what its vendor answered. */
export const DraftTest = <Draft extends object>({
  label,
  draft,
  uses,
  check,
  run,
}: DraftTestProps<Draft>): ReactNode => {
  const { start, isPending, result, error } = useDraftTest(draft, run)
  const checkAndStart = async () => {
    if (await check()) start()
  }
  return (
    <>
      <div>
        <Button
          busy={isPending}
          disabledReason={uses.tts || uses.stt ? undefined : notEnabled}
          onClick={() => void checkAndStart()}
        >
          {label}
        </Button>
      </div>
      {error && <ErrorBanner error={error} />}
      <output>
        {result && (
          <>
            <ServiceState state={{ health: toHealth(uses, result.tts, result.stt), reason: '' }} />{' '}
            {failureReason(uses, result.tts, result.stt)}
          </>
        )}
      </output>
    </>
  )
}

/** Tests what the form of a speech service contains: a new service, or the changes of a stored one. */
export const FormDraftTest = ({ speech_credential_sid }: { speech_credential_sid: string | undefined }): ReactNode => {
  const { control, formState, trigger } = useFormContext<SpeechValues>()
  const service_provider_sid = useProviderSid()
  const values = useWatch({ control }) as SpeechValues
  const isReadOnly = use(ReadOnlyFields)
  if (isReadOnly || !canTestDrafts()) return null
  const frame = {
    uses: usesIn(values),
    check: () => trigger(['vendor', 'name', 'members', 'fields'], { shouldFocus: true }),
  }
  if (speech_credential_sid === undefined)
    return (
      <DraftTest
        {...frame}
        label="Test before saving"
        draft={toCreatePayload(values, service_provider_sid)}
        run={(body) => api('POST /patchbay/speech-credentials/test', { body })}
      />
    )
  // The section of the status tests what is stored.
  if (!formState.isDirty) return null
  return (
    <DraftTest
      {...frame}
      label="Test the changes"
      draft={toPayload(values, formState.defaultValues as SpeechValues)}
      run={(settings) =>
        api('POST /patchbay/speech-credentials/:speech_credential_sid/test', {
          params: { speech_credential_sid },
          body: { settings },
        })
      }
    />
  )
}
