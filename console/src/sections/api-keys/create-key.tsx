import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey, type KeyOwner } from '../../api/record-queries.ts'
import { FormDialog, type FormDialogProps } from '../../feedback/form-dialog.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ValueBox } from '../../ui/format/sid.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { hasKeyNames } from './key-columns.tsx'
import { keyEnds, parseExpiry } from './key-expiry.ts'
import { KeyNameField } from './key-name-field.tsx'

interface CreateKeyProps {
  owner: KeyOwner
  /** Selects the owner, if the user can choose one. */
  ownerField?: ReactNode
  /** Called with the SID of the created key, or without one if none was created. */
  onClose: (sid?: string) => void
}

interface KeyInput {
  name: string
  /** Null if the key does not expire. */
  expires_at: string | null
}

/** Creates an API key and shows its token, which cannot be shown again. */
export const CreateKey = ({ owner, ownerField, onClose }: CreateKeyProps) => {
  const create = useAction({
    run: ({ name, expires_at }: KeyInput) =>
      api('POST /ApiKeys', {
        body: {
          ...(owner === 'platform' ? {} : owner),
          ...(name === '' ? {} : { name }),
          ...(expires_at === null ? {} : { expires_at }),
        },
      }),
    done: () => 'API key created',
    changes: [apiKeysKey],
  })
  if (create.data) return <WholeKey token={create.data.token} onClose={() => onClose(create.data.sid)} />
  return (
    <KeyForm action={create} onCreate={(input) => create.mutate(input)} onClose={() => onClose()}>
      {ownerField}
    </KeyForm>
  )
}

interface KeyFormProps extends Required<Pick<FormDialogProps, 'action' | 'onClose'>> {
  onCreate: (input: KeyInput) => void
  /** Fields above those of the key. */
  children: ReactNode
}

const KeyForm = ({ action, onCreate, onClose, children }: KeyFormProps) => {
  const [name, setName] = useState('')
  const [choice, setChoice] = useState('')
  const [day, setDay] = useState('')
  const [dayError, setDayError] = useState<string>()
  const submit = () => {
    const end = parseExpiry(choice, day)
    setDayError('fault' in end ? end.fault : undefined)
    if ('at' in end) onCreate({ name: name.trim(), expires_at: end.at })
  }
  return (
    <FormDialog title="Add API key" submitLabel="Add key" action={action} onSubmit={submit} onClose={onClose}>
      {children}
      {hasKeyNames() && <KeyNameField value={name} onChange={setName} />}
      <SelectField
        label="Expires"
        data-autofocus={hasKeyNames() ? undefined : true}
        hint="The key works until then, or until it is deleted."
        options={keyEnds}
        value={choice}
        onChange={({ target }) => {
          setChoice(target.value)
          setDayError(undefined)
        }}
      />
      {choice === 'day' && (
        <TextField
          type="date"
          label="Last day"
          required
          value={day}
          error={dayError}
          onChange={({ target }) => setDay(target.value)}
        />
      )}
    </FormDialog>
  )
}

const WholeKey = ({ token, onClose }: { token: string; onClose: () => void }) => (
  <Dialog
    title="Your new API key"
    onClose={onClose}
    footer={
      <Button variant="primary" onClick={onClose}>
        Close
      </Button>
    }
  >
    <ValueBox label="API key" hint="Copy the key now. It is not shown again.">
      <code>{token}</code>
      <CopyButton value={token} label="Copy the API key" displayText="API key" />
    </ValueBox>
  </Dialog>
)
