import { serviceProviderLengths } from '@patchbay/contract/service-providers/record'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { providersQuery } from '../api/shared-queries.ts'
import { useAction } from '../feedback/use-action.ts'
import { FormDialog } from '../form/form-dialog.tsx'
import { formText } from '../form/use-form-submit.ts'
import { switchProvider } from '../list/list-navigation-state.ts'
import { TextField } from '../ui/fields/text-field.tsx'

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
  const readName = (form: HTMLFormElement): string | undefined => {
    const name = formText(form, 'name').trim()
    setMissing(name === '')
    return name || undefined
  }
  return (
    <FormDialog title="Add new service provider" submitLabel="Save" action={add} readInput={readName} onClose={onClose}>
      <TextField
        label="Service provider name"
        name="name"
        required
        maxLength={serviceProviderLengths.name}
        data-autofocus
        error={missing ? 'Enter a name' : undefined}
      />
    </FormDialog>
  )
}
