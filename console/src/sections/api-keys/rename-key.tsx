import { useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { FormDialog } from '../../feedback/form-dialog.tsx'
import { useAction } from '../../feedback/use-action.ts'
import type { KeyDialogProps } from './key-columns.tsx'
import { KeyNameField } from './key-name-field.tsx'

/** Changes or removes the name of an API key. */
export const RenameKey = ({ apiKey: { api_key_sid, name: current }, onClose }: KeyDialogProps) => {
  const [name, setName] = useState(current ?? '')
  const rename = useAction({
    run: () =>
      api('PUT /patchbay/api-keys/:api_key_sid', { params: { api_key_sid }, body: { name: name.trim() || null } }),
    done: () => 'API key renamed',
    changes: [apiKeysKey],
    after: onClose,
    quiet: true,
  })
  const submit = () => {
    rename.mutate(undefined)
  }
  return (
    <FormDialog title="Rename API key" submitLabel="Rename key" action={rename} onSubmit={submit} onClose={onClose}>
      <KeyNameField value={name} onChange={setName} />
    </FormDialog>
  )
}
