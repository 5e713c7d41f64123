import { useFormContext, useWatch } from 'react-hook-form'
import { ApiError } from '../../../../api/api-error.ts'
import { api } from '../../../../api/client.ts'
import { config } from '../../../../api/configuration.ts'
import { useAction } from '../../../../feedback/use-action.ts'
import { useProviderSid } from '../../../../session/current-provider.ts'
import { requiredSession } from '../../../../session/session.ts'
import { viewOnlyReason } from '../../../../session/view-only.ts'
import { Button } from '../../../../ui/button.tsx'
import type { AccountValues } from '../account-form.ts'
import { isComplete, toCredentialPayload } from './recording-values.ts'

/** Tests the storage settings of the form before they are saved. */
export const TestStorage = ({ account_sid }: { account_sid: string | undefined }) => {
  const { control } = useFormContext<AccountValues>()
  const service_provider_sid = useProviderSid()
  const storage = useWatch({ control, name: 'recording.storage' })
  const test = useAction({
    run: async () => {
      const body = toCredentialPayload(storage)
      const outcome = await (account_sid === undefined
        ? api('POST /patchbay/service-providers/:service_provider_sid/bucket-credential-test', {
            params: { service_provider_sid },
            body,
          })
        : api('POST /Accounts/:account_sid/BucketCredentialTest', { params: { account_sid }, body }))
      if (outcome.status !== 'ok') throw new ApiError('rejected', 200, outcome.reason)
    },
    done: () => 'Bucket Credential is valid.',
  })
  const reason = () => {
    if (account_sid === undefined && !config().extensions.has('unsaved-tests'))
      return 'Save the account before you test the storage.'
    return isComplete(storage) ? undefined : 'Complete the storage settings first.'
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
