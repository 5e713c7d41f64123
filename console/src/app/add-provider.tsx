import { serviceProviderLengths } from '@patchbay/contract/service-providers/record'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { providersQuery } from '../api/shared-queries.ts'
import { DialogForm } from '../feedback/dialog-form.tsx'
import { useAction } from '../feedback/use-action.ts'
import { formText } from '../form/use-form-submit.ts'
import { switchProvider } from '../list/list-navigation-state.ts'
import { TextField } from '../ui/fields/text-field.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'

/** Creates a service provider and selects it. */
export const AddProvider = ({ onClose }: { onClose: () => void }) => {
  const [missing, setMissing] = useState(false)
  const add = useAction({
    run: (name: string) => api('POST /ServiceProviders', { body: { name } }),
    done: (_, name) => `Added new service provider ${name}`,
    changes: [providersQuery.queryKey],
    after: ({ sid }) => {
      switchProvider(sid)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = formText(event.currentTarget, 'name').trim()
    setMissing(name === '')
    if (name !== '' && !add.isPending) add.mutate(name)
  }
  return (
    <Dialog title="Add new service provider" onClose={onClose} blocking={add.isPending}>
      <DialogForm
        label="Add new service provider"
        submitLabel="Save"
        busy={add.isPending}
        error={add.error}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          label="Service provider name"
          name="name"
          required
          maxLength={serviceProviderLengths.name}
          data-autofocus
          error={missing ? 'Enter a name' : undefined}
        />
      </DialogForm>
    </Dialog>
  )
}
