import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey, type KeyOwner } from '../../api/record-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { type FormAction, FormDialog } from '../../form/form-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ValueBox } from '../../ui/format/sid.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { hasKeyNames } from './key-columns.tsx'
import { type KeyEnd, keyEnds, parseExpiry } from './key-expiry.ts'
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

/** Creates an API key of the owner. */
export const useCreateKey = (owner: KeyOwner) =>
  useAction({
    // The dialog shows the error.
    quiet: true,
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

/** Creates an API key and shows its token, which cannot be shown again. */
export const CreateKey = ({ owner, ownerField, onClose }: CreateKeyProps) => {
  const create = useCreateKey(owner)
  if (create.data) return <CreatedKey token={create.data.token} onClose={() => onClose(create.data.sid)} />
  return (
    <KeyForm title="Add API key" submitLabel="Add key" action={create} onClose={() => onClose()}>
      {ownerField}
    </KeyForm>
  )
}

interface KeyFormProps {
  title: string
  submitLabel: string
  action: FormAction<KeyInput>
  onClose: () => void
  /** The name at first. */
  name?: string
  /** The expiry at first. */
  expires?: KeyEnd
  /** A text or a field above those of the key. */
  children: ReactNode
}

/** The dialog with the fields of a new API key. */
export const KeyForm = ({ name: firstName = '', expires = '', children, ...dialog }: KeyFormProps) => {
  const [name, setName] = useState(firstName)
  const [choice, setChoice] = useState<string>(expires)
  const [day, setDay] = useState('')
  const [dayError, setDayError] = useState<string>()
  const readInput = (): KeyInput | undefined => {
    const end = parseExpiry(choice, day)
    setDayError('fault' in end ? end.fault : undefined)
    return 'at' in end ? { name: name.trim(), expires_at: end.at } : undefined
  }
  return (
    <FormDialog {...dialog} readInput={readInput}>
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

interface CreatedKeyProps {
  token: string
  onClose: () => void
  /** A button for what follows. */
  next?: ReactNode
  /** Text below the key. */
  children?: ReactNode
}

/** Shows the token of a new key once. */
export const CreatedKey = ({ token, onClose, next, children }: CreatedKeyProps) => (
  <Dialog
    title="Your new API key"
    onClose={onClose}
    footer={
      <>
        {next}
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </>
    }
  >
    <ValueBox label="API key" hint="Copy the key now. It is not shown again.">
      <code>{token}</code>
      <CopyButton value={token} label="Copy the API key" displayText="API key" />
    </ValueBox>
    {children}
  </Dialog>
)
