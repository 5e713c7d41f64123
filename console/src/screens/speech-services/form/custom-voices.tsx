import { googleCustomVoiceLengths as lengths, reportedUsages } from '@patchbay/contract/google-custom-voices/record'
import { Plus, Trash2 } from 'lucide-react'
import { use } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { toaster } from '../../../feedback/toaster.ts'
import { FilePicker } from '../../../form/file-picker.tsx'
import { useFields, useRowError, useRowFields } from '../../../form/use-fields.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { formatCount } from '../../../ui/format/text.ts'
import styles from './custom-voices.module.css'
import type { SpeechValues } from './speech-form.ts'
import { atLeastOne, emptyVoice } from './voices.ts'

const usages = reportedUsages.map((value) => ({ value, label: value }))

const KeyField = ({ at }: { at: number }) => {
  const { control, setValue } = useFormContext<SpeechValues>()
  const getError = useRowError<SpeechValues>()
  const [stored, chosen] = useWatch({
    control,
    name: [`voices.${at}.stored_key`, `voices.${at}.voice_cloning_key_file`],
  })
  const take = async (file: File) => {
    if (file.size > lengths.voice_cloning_key)
      return toaster.failure(`A voice cloning key has at most ${formatCount(lengths.voice_cloning_key)} bytes.`)
    setValue(`voices.${at}.voice_cloning_key_file`, await file.text(), { shouldDirty: true, shouldValidate: true })
  }
  return (
    <FilePicker
      label="Voice cloning key"
      required
      error={getError(`voices.${at}.voice_cloning_key_file`)}
      none="No file chosen."
      chosen={
        chosen === '' ? (
          stored === '' ? undefined : (
            <code>{stored}</code>
          )
        ) : (
          <>
            A key of {formatCount(chosen.length)} characters, not saved yet: <code>{chosen.slice(0, 20)}…</code>
          </>
        )
      }
      onTake={(file) => void take(file)}
    />
  )
}

const VoiceRow = ({ at, onRemove, isLast }: { at: number; onRemove: () => void; isLast: boolean }) => {
  const field = useRowFields<SpeechValues>()
  const { control } = useFormContext<SpeechValues>()
  const byKey = useWatch({ control, name: `voices.${at}.use_voice_cloning_key` })
  const readOnly = use(ReadOnlyFields)
  return (
    <fieldset className={styles['voice']} aria-label={`Voice ${at + 1}`}>
      <div className={styles['head']}>
        <TextField label="Name" required maxLength={lengths.name} {...field(`voices.${at}.name`)} />
        {!readOnly && (
          <IconButton
            label={`Remove voice ${at + 1}`}
            disabledReason={isLast ? atLeastOne : undefined}
            onClick={onRemove}
          >
            <Trash2 size={15} aria-hidden="true" />
          </IconButton>
        )}
      </div>
      <CheckboxField label="Use voice cloning key" {...field(`voices.${at}.use_voice_cloning_key`)} />
      {byKey ? (
        <KeyField at={at} />
      ) : (
        <>
          <SelectField label="Reported usage" options={usages} {...field(`voices.${at}.reported_usage`)} />
          <TextField label="Model" required mono maxLength={lengths.model} {...field(`voices.${at}.model`)} />
        </>
      )}
    </fieldset>
  )
}

/** Editor for the custom voices of a credential. Clearing the checkbox deletes the stored voices on save. */
export const CustomVoices = () => {
  const field = useFields<SpeechValues>()
  const { control } = useFormContext<SpeechValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'voices' })
  const isOn = useWatch({ control, name: 'custom_voices' })
  const readOnly = use(ReadOnlyFields)
  return (
    <CheckboxField
      label="Use custom voices"
      hint="Applications prefer these voices to the vendor’s own. Turning this off deletes the stored voices."
      {...field('custom_voices', {
        onChange: ({ target }: { target: HTMLInputElement }) => {
          if (target.checked && fields.length === 0) append(emptyVoice)
        },
      })}
    >
      {isOn && (
        <div className={styles['voices']}>
          {fields.map(({ id }, at) => (
            <VoiceRow key={id} at={at} isLast={fields.length === 1} onRemove={() => remove(at)} />
          ))}
          {!readOnly && (
            <div>
              <Button size="small" icon={<Plus size={14} aria-hidden="true" />} onClick={() => append(emptyVoice)}>
                Add a voice
              </Button>
            </div>
          )}
        </div>
      )}
    </CheckboxField>
  )
}
