import { recordFormats } from '@patchbay/contract/recordings/storage'
import { useFormContext, useWatch } from 'react-hook-form'
import { StoredSecretField } from '../../../../form/stored-secret-field.tsx'
import { useFields } from '../../../../form/use-fields.ts'
import { CheckboxField, SelectField } from '../../../../ui/fields/field.tsx'
import { FieldRow } from '../../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../../ui/fields/text-field.tsx'
import type { AccountValues } from '../account-form.ts'
import { ofVendor, type StorageValues } from './recording-values.ts'
import { isKnownRegion, regionOptions } from './regions.ts'
import { ServiceKeyField } from './service-key-field.tsx'
import { TagFields } from './tag-fields.tsx'
import { TestStorage } from './test-storage.tsx'

const vendors: { value: StorageValues['vendor']; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'aws_s3', label: 'AWS S3' },
  { value: 's3_compatible', label: 'AWS S3 Compatible' },
  { value: 'azure', label: 'Azure Cloud Storage' },
  { value: 'google', label: 'Google Cloud Storage' },
]

const isVendor = (text: string): text is StorageValues['vendor'] => vendors.some(({ value }) => value === text)

/** Fields of the selected storage vendor. */
const StorageFields = ({ vendor }: { vendor: StorageValues['vendor'] }) => {
  const { formState } = useFormContext<AccountValues>()
  const connect = useFields<AccountValues>()
  const stored = formState.defaultValues?.recording?.storage
  const text = (field: 'name' | 'endpoint' | 'region' | 'access_key_id', label: string) => ({
    label,
    autoComplete: 'off',
    spellCheck: false,
    ...connect(`recording.storage.${field}`),
  })
  /** Returns the stored mask if it belongs to this vendor. */
  const getStoredMask = (field: 'secret_access_key' | 'connection_string') =>
    stored?.vendor === vendor ? (stored[field] ?? '') : ''
  const secret = (field: 'secret_access_key' | 'connection_string', label: string) => (
    <StoredSecretField required label={label} name={`recording.storage.${field}`} stored={getStoredMask(field)} />
  )
  // A function, so that the fields are registered when they are rendered: an invalid form focuses the first field in
  // the order of registration.
  const renderAccessKey = () => (
    <FieldRow>
      <TextField required mono {...text('access_key_id', 'Access key ID')} />
      {secret('secret_access_key', 'Secret access key')}
    </FieldRow>
  )
  switch (vendor) {
    case 'none':
      return null
    case 'aws_s3':
      return (
        <>
          <FieldRow>
            <TextField required {...text('name', 'Bucket Name')} />
            <SelectField required {...text('region', 'Region')} options={regionOptions(stored?.region ?? '')} />
          </FieldRow>
          {renderAccessKey()}
        </>
      )
    case 's3_compatible':
      return (
        <>
          <FieldRow>
            <TextField required placeholder="https://domain.com" type="url" {...text('endpoint', 'Endpoint URI')} />
            <TextField {...text('region', 'Region (Optional)')} />
          </FieldRow>
          <TextField required {...text('name', 'Bucket Name')} />
          {renderAccessKey()}
        </>
      )
    case 'azure':
      return (
        <>
          <TextField required {...text('name', 'Container Name')} />
          {secret('connection_string', 'Connection String')}
        </>
      )
    case 'google':
      return (
        <>
          <TextField required {...text('name', 'Bucket Name')} />
          <ServiceKeyField />
        </>
      )
  }
}

/** Recording settings, shown when recording is enabled. */
export const RecordingFields = ({ account_sid }: { account_sid: string | undefined }) => {
  const { register, control, formState, getValues, setValue, clearErrors } = useFormContext<AccountValues>()
  const vendor = useWatch({ control, name: 'recording.storage.vendor' })

  const selectVendor = (selected: string) => {
    const stored = formState.defaultValues?.recording?.storage
    if (!isVendor(selected) || stored === undefined) return
    const current = getValues('recording.storage')
    const changed = ofVendor(current, stored as StorageValues, selected, isKnownRegion)
    setValue('recording.storage', changed, { shouldDirty: true })
    clearErrors('recording.storage')
  }

  return (
    <>
      <FieldRow>
        <SelectField label="Audio Format" {...register('recording.record_format')}>
          {recordFormats.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </SelectField>
        <SelectField
          label="Bucket Vendor"
          hint={vendor === 'none' ? 'Recordings are kept only if a storage is configured.' : undefined}
          options={vendors}
          {...register('recording.storage.vendor')}
          onChange={({ target }) => selectVendor(target.value)}
        />
      </FieldRow>
      <StorageFields vendor={vendor} />
      {vendor !== 'none' && (
        <>
          <TagFields vendor={vendor} />
          <TestStorage account_sid={account_sid} />
        </>
      )}
      <CheckboxField
        label="Record all calls for this account"
        hint="If off, each application decides which calls are recorded."
        {...register('recording.record_all_calls')}
      />
    </>
  )
}
