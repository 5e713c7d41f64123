import { bucketLengths } from '@patchbay/contract/accounts/record'
import { parseServiceKey } from '@patchbay/contract/recordings/storage'
import { useFormContext, useWatch } from 'react-hook-form'
import { FilePicker } from '../../../../form/file-picker.tsx'
import type { AccountValues } from '../account-form.ts'
import { invalidServiceKey } from './recording-values.ts'

const field = 'recording.storage.service_key'

/** Returns the email address of the service account. The private key is never rendered. */
const getClientEmail = (service_key: string): string | undefined => parseServiceKey(service_key)?.client_email

/** Returns the content of the file, or an error message if it is not a service key. */
const readFile = async (file: File): Promise<{ error: string } | { text: string }> => {
  if (file.size > bucketLengths.service_key)
    return { error: `The file is larger than ${bucketLengths.service_key} bytes.` }
  try {
    const text = await file.text()
    return parseServiceKey(text) === undefined ? { error: invalidServiceKey } : { text }
  } catch (error) {
    return { error: `Failed to read file: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** File picker for the key of a Google service account. */
export const ServiceKeyField = () => {
  const { formState, setValue, setError, clearErrors, ...form } = useFormContext<AccountValues>()
  const value = useWatch({ control: form.control, name: field })
  const owner = getClientEmail(value)
  const isStored = value !== '' && value === formState.defaultValues?.recording?.storage?.service_key

  const take = async (file: File) => {
    const read = await readFile(file)
    if ('error' in read) return setError(field, { message: read.error })
    clearErrors(field)
    setValue(field, read.text, { shouldDirty: true })
  }

  return (
    <FilePicker
      label="Service key"
      required
      hint="JSON key file of a service account that can read, write, and delete objects in the bucket."
      error={formState.errors.recording?.storage?.service_key?.message}
      accept="application/json,.json"
      none="No key chosen."
      chosen={
        owner === undefined ? undefined : (
          <>
            Key of <bdi>{owner}</bdi>
            {isStored ? ', stored' : ', not saved yet'}
          </>
        )
      }
      onTake={(file) => void take(file)}
    />
  )
}
