import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysQuery, type KeyOwner } from '../../api/record-queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ValueBox } from '../../ui/sid.tsx'
import { DialogForm } from '../../feedback/dialog-form.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { parseExpiry, keyEnds } from './key-expiry.ts'

interface CreateKeyProps {
  owner: KeyOwner
  /** Called with the SID of the created key, or without one if none was created. */
  onClose: (token?: string) => void
}

/** Creates an API key and shows its token, which cannot be shown again. */
export const CreateKey = ({ owner, onClose }: CreateKeyProps) => {
  const create = useAction({
    run: (expires_at: string | null) =>
      api('POST /ApiKeys', {
        body: { ...(owner === 'platform' ? {} : owner), ...(expires_at === null ? {} : { expires_at }) },
      }),
    done: () => 'API key created',
    changes: [apiKeysQuery(owner).queryKey],
  })
  if (create.data) return <WholeKey token={create.data.token} onClose={() => onClose(create.data.sid)} />
  return (
    <Dialog title="Add API key" onClose={() => onClose()} blocking={create.isPending}>
      <EndForm
        busy={create.isPending}
        error={create.error}
        onCancel={() => onClose()}
        onSubmit={(expires_at) => create.mutate(expires_at)}
      />
    </Dialog>
  )
}

interface EndFormProps {
  busy: boolean
  error: Error | null
  onCancel: () => void
  onSubmit: (expires_at: string | null) => void
}

const EndForm = ({ busy, error, onCancel, onSubmit }: EndFormProps) => {
  const [choice, setChoice] = useState('')
  const [day, setDay] = useState('')
  const [dayError, setDayError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const end = parseExpiry(choice, day)
    setDayError('fault' in end ? end.fault : undefined)
    if ('at' in end) onSubmit(end.at)
  }
  return (
    <DialogForm
      label="Add API key"
      submitLabel="Add key"
      busy={busy}
      error={error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <SelectField
        label="Expires"
        data-autofocus
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
    </DialogForm>
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
