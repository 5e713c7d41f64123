import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { DialogForm } from '../../feedback/dialog-form.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!rename.isPending) rename.mutate(undefined)
  }
  return (
    <Dialog title="Rename API key" onClose={onClose} blocking={rename.isPending}>
      <DialogForm
        label="Rename API key"
        submitLabel="Rename key"
        busy={rename.isPending}
        error={rename.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <KeyNameField value={name} onChange={setName} />
      </DialogForm>
    </Dialog>
  )
}
