import type { User } from '@patchbay/contract/users'
import { use } from 'react'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { ReadOnlyFields } from '../../ui/fields/field-frame.tsx'
import { hasInvitations } from './queries.ts'

/** Button that mails a user a link for choosing a password, for example because an invitation has expired. */
export const InviteButton = ({ user: { user_sid, email } }: { user: User }) => {
  const invite = useAction({
    run: () => api('POST /patchbay/users/:user_sid/invitation', { params: { user_sid } }),
    done: () => `A link was sent to ${email}`,
  })
  if (use(ReadOnlyFields) || !hasInvitations()) return null
  return (
    <Button size="small" busy={invite.isPending} onClick={() => invite.mutate()}>
      Send invitation
    </Button>
  )
}
