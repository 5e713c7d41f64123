import { bucketLengths } from '@patchbay/contract/accounts/record'
import type { StorageVendor } from '@patchbay/contract/recordings/storage'
import { Plus, Trash2 } from 'lucide-react'
import { use } from 'react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { useFields } from '../../../../form/use-fields.ts'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../../ui/fields/field-frame.tsx'
import { FieldGroup } from '../../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../../ui/fields/text-field.tsx'
import type { AccountValues } from '../account-form.ts'
import styles from './recording.module.css'

const captions: Readonly<Record<StorageVendor, string>> = {
  aws_s3: 'S3 Tags',
  s3_compatible: 'S3 Tags',
  azure: 'Azure Cloud Storage Tags',
  google: 'Google Cloud Storage Tags',
}

/** Tags that are set on each recording in the bucket. */
export const TagFields = ({ vendor }: { vendor: StorageVendor }) => {
  const field = useFields<AccountValues>()
  const { control } = useFormContext<AccountValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'recording.storage.tags' })
  const readOnly = use(ReadOnlyFields)
  return (
    <FieldGroup legend={captions[vendor]}>
      {fields.length === 0 && <p className="note">No tags.</p>}
      {fields.map(({ id }, index) => (
        <div key={id} className={styles['tag']}>
          <TextField
            label={`Name of tag ${index + 1}`}
            labelHidden
            placeholder="Name"
            required
            autoComplete="off"
            {...field(`recording.storage.tags.${index}.Key`)}
          />
          <TextField
            label={`Value of tag ${index + 1}`}
            labelHidden
            placeholder="Value"
            required
            autoComplete="off"
            {...field(`recording.storage.tags.${index}.Value`)}
          />
          {!readOnly && (
            <IconButton label={`Remove tag ${index + 1}`} onClick={() => remove(index)}>
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          )}
        </div>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={fields.length >= bucketLengths.tags ? `At most ${bucketLengths.tags} tags.` : undefined}
            onClick={() => append({ Key: '', Value: '' })}
          >
            Add tag
          </Button>
        </div>
      )}
    </FieldGroup>
  )
}
