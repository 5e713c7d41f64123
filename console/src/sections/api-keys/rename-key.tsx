import { useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import type { KeyDialogProps } from './key-columns.tsx'
import { KeyNameField } from './key-name-field.tsx'

/** Changes or removes the name of an API key. */
export const RenameKey = ({ apiKey: { api_key_sid, name: current }, onClose }: KeyDialogProps) => {
  const [name, setName] = useState(current ?? '')
  const rename = useAction({
    run: (body: { name: string | null }) =>
      api('PUT /patchbay/api-keys/:api_key_sid', { params: { api_key_sid }, body }),
    done: () => 'API key renamed',
    changes: [apiKeysKey],
    after: onClose,
    quiet: true,
  })
  return (
    <FormDialog
      title="Rename API key"
      submitLabel="Rename key"
      action={rename}
      readInput={() => ({ name: name.trim() || null })}
      onClose={onClose}
    >
      <KeyNameField value={name} onChange={setName} />
    </FormDialog>
  )
}
