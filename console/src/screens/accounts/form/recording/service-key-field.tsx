import { bucketLengths } from '@patchbay/contract/rules/lengths'
import { readServiceKey } from '@patchbay/contract/rules/recording-storage'
import { Upload } from 'lucide-react'
import { use, useRef } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { Button } from '../../../../ui/button.tsx'
import { Field, ReadOnlyFields } from '../../../../ui/field-frame.tsx'
import type { AccountValues } from '../account-form.ts'
import { invalidServiceKey } from './recording-values.ts'
import styles from './recording.module.css'

const field = 'recording.storage.service_key'

/** Whose key it is; the private key itself is never drawn. */
const ownerOf = (service_key: string): string | undefined => readServiceKey(service_key)?.client_email

/** What is wrong with a file, or what is in it. */
const readFile = async (file: File): Promise<{ error: string } | { text: string }> => {
  if (file.size > bucketLengths.service_key)
    return { error: `The file is larger than ${bucketLengths.service_key} bytes.` }
  try {
    const text = await file.text()
    return readServiceKey(text) === undefined ? { error: invalidServiceKey } : { text }
  } catch (error) {
    return { error: `Failed to read file: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The key of a Google service account, from its file. */
export const ServiceKeyField = () => {
  const { formState, setValue, setError, clearErrors, ...form } = useFormContext<AccountValues>()
  const picker = useRef<HTMLInputElement>(null)
  const value = useWatch({ control: form.control, name: field })
  const owner = ownerOf(value)
  const isStored = value !== '' && value === formState.defaultValues?.recording?.storage?.service_key
  const readOnly = use(ReadOnlyFields)

  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const read = await readFile(file)
    if ('error' in read) return setError(field, { message: read.error })
    clearErrors(field)
    setValue(field, read.text, { shouldDirty: true })
  }

  return (
    <Field
      label="Service key"
      required
      hint="The JSON file of a service account that may read, write and delete objects of the bucket."
      error={formState.errors.recording?.storage?.service_key?.message}
    >
      {(control) => (
        <div className={styles['key']}>
          {/* The file's own box says nothing of a key that is stored, and its words cannot be chosen. */}
          <input
            ref={picker}
            {...control}
            type="file"
            accept="application/json,.json"
            className="visually-hidden"
            tabIndex={-1}
            disabled={readOnly}
            onChange={({ target }) => {
              void take(target.files?.[0])
              // The same file may be chosen again when it has been mended.
              target.value = ''
            }}
          />
          {owner === undefined ? (
            <span className={styles['note']}>No key chosen.</span>
          ) : (
            <span>
              Key of <bdi>{owner}</bdi>
              {isStored ? ', stored' : ', not saved yet'}
            </span>
          )}
          {!readOnly && (
            <Button size="small" icon={<Upload size={14} aria-hidden="true" />} onClick={() => picker.current?.click()}>
              {owner === undefined ? 'Choose file' : 'Choose another file'}
            </Button>
          )}
        </div>
      )}
    </Field>
  )
}
