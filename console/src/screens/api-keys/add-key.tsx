import { isAtLeast } from '@patchbay/contract/api/access'
import { useState } from 'react'
import { AccountField } from '../../fields/account-field.tsx'
import { CreateKey } from '../../sections/api-keys/create-key.tsx'
import { requiredSession } from '../../session/session.ts'

interface AddKeyProps {
  service_provider_sid: string
  onClose: () => void
}

/** Creates a key of the provider or of one of its accounts. Users of an account create keys of their account. */
export const AddKey = ({ service_provider_sid, onClose }: AddKeyProps) => {
  const { actor } = requiredSession()
  const [account_sid, setAccountSid] = useState(actor.account_sid ?? '')
  return (
    <CreateKey
      owner={account_sid === '' ? { service_provider_sid } : { account_sid }}
      ownerField={
        isAtLeast(actor.scope, 'service_provider') && (
          <AccountField
            service_provider_sid={service_provider_sid}
            label="Access to"
            all="The service provider and all its accounts"
            value={account_sid}
            onChange={setAccountSid}
          />
        )
      }
      onClose={onClose}
    />
  )
}
