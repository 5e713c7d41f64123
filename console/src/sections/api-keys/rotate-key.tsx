import type { ApiKey } from '@patchbay/contract/api-keys'
import { useState } from 'react'
import type { KeyOwner } from '../../api/record-queries.ts'
import { Button } from '../../ui/button.tsx'
import { CreatedKey, KeyForm, useCreateKey } from './create-key.tsx'
import { DeleteKey } from './delete-key.tsx'
import type { KeyDialogProps } from './key-columns.tsx'
import { suggestExpiry } from './key-expiry.ts'
import { KeyLabel } from './key-label.tsx'

const getOwner = ({ account_sid, service_provider_sid }: ApiKey): KeyOwner => {
  if (account_sid !== null) return { account_sid }
  return service_provider_sid === null ? 'platform' : { service_provider_sid }
}

/**
 * Creates a key that replaces another, and then offers to delete the old one. Programs use the old key until they get
 * the new one, so that it is never deleted without a confirmation.
 */
export const RotateKey = ({ apiKey, onClose }: KeyDialogProps) => {
  const create = useCreateKey(getOwner(apiKey))
  const [isDeleting, setDeleting] = useState(false)
  if (isDeleting) return <DeleteKey apiKey={apiKey} onClose={onClose} />
  if (create.data)
    return (
      <CreatedKey
        token={create.data.token}
        onClose={onClose}
        next={<Button onClick={() => setDeleting(true)}>Delete the old key…</Button>}
      >
        <p>
          The old key <KeyLabel apiKey={apiKey} /> still works. Delete it as soon as all programs use the new key.
        </p>
      </CreatedKey>
    )
  return (
    <KeyForm
      title="Rotate API key"
      submitLabel="Create new key"
      action={create}
      name={apiKey.name ?? ''}
      expires={suggestExpiry(apiKey)}
      onClose={onClose}
    >
      <p>
        The new key has the same access. The old key <KeyLabel apiKey={apiKey} /> works until you delete it.
      </p>
    </KeyForm>
  )
}
