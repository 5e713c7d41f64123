import { vendorName } from '@patchbay/rules/speech/names'
import { useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import type { RecordFormState } from '../../../form/use-record-form.tsx'
import { ConfirmDialog } from '../../../ui/overlay/dialog.tsx'
import { speechQuery } from '../queries.ts'
import { chosenVendor, type SpeechValues, toVendor } from './speech-form.ts'

/**
 * Rejects a second service of the same vendor and owner without a label, because applications could not select one of
 * the two. jambonz accepts it.
 */
export const labelErrors = async (owner: OwnerSid, values: SpeechValues): Promise<FieldErrors<SpeechValues>> => {
  if (values.label.trim() !== '') return {}
  const vendor = toVendor(values)
  const services = await queryClient.fetchQuery({ ...speechQuery(owner), staleTime: 0 })
  const others = services.filter(
    (other) => other.vendor === vendor && !other.label && (other.account_sid ?? '') === values.account_sid,
  )
  return others.length === 0
    ? {}
    : { label: `Enter a label, because there is already a ${vendorName(vendor)} service without one.` }
}

const isUnused = ({ vendor, use_for_tts, use_for_stt }: SpeechValues): boolean =>
  chosenVendor(vendor) !== undefined && !use_for_tts && !use_for_stt

/** Asks before a service that is used for nothing is saved. Returns the form state with the question. */
export const useUnusedQuestion = (
  state: RecordFormState<SpeechValues>,
  stored?: SpeechValues,
): RecordFormState<SpeechValues> => {
  const [isAsking, setAsking] = useState(false)
  const { form, submit, prompt } = state
  const ask = async () => {
    const isNew = isUnused(form.getValues()) && (stored === undefined || !isUnused(stored))
    if (isNew && (await form.trigger())) setAsking(true)
    else submit()
  }
  return {
    ...state,
    submit: () => void ask(),
    prompt: (
      <>
        {prompt}
        {isAsking && (
          <ConfirmDialog
            title="Save without a use?"
            confirmLabel="Save"
            error={undefined}
            onConfirm={() => {
              setAsking(false)
              submit()
            }}
            onCancel={() => setAsking(false)}
          >
            <p>
              The service is selected neither for text-to-speech nor for speech-to-text, so applications cannot use it.
            </p>
          </ConfirmDialog>
        )}
      </>
    ),
  }
}
