import { useFormContext, useWatch } from 'react-hook-form'
import { call } from '../../../../api/client.ts'
import { Failure } from '../../../../api/failure.ts'
import { useAction } from '../../../../page/use-action.ts'
import { viewOnlyReason } from '../../../../page/view-only.ts'
import { requiredSession } from '../../../../session/session.ts'
import { Button } from '../../../../ui/button.tsx'
import type { AccountValues } from '../account-form.ts'
import { credentialSent, isComplete } from './recording-values.ts'

/** Tries the storage as it stands in the form, before anything is saved. */
export const TestStorage = ({ account_sid }: { account_sid: string | undefined }) => {
  const { control } = useFormContext<AccountValues>()
  const storage = useWatch({ control, name: 'recording.storage' })
  const test = useAction({
    run: async () => {
      if (account_sid === undefined) return
      const endpoint = 'POST /Accounts/:account_sid/BucketCredentialTest'
      const outcome = await call(endpoint, { params: { account_sid }, body: credentialSent(storage) })
      if (outcome.status !== 'ok') throw new Failure('refused', 200, outcome.reason)
    },
    done: () => 'Bucket Credential is valid.',
  })
  const reason = () => {
    if (account_sid === undefined) return 'It can be tested once the account is saved.'
    return isComplete(storage) ? undefined : 'Fill in the storage first.'
  }
  return (
    <div>
      <Button
        busy={test.isPending}
        disabledReason={viewOnlyReason(requiredSession().actor) ?? reason()}
        onClick={() => test.mutate(undefined)}
      >
        Test
      </Button>
    </div>
  )
}
