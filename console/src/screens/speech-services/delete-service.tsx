import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { vendorName } from '@patchbay/rules/speech/names'
import { useQuery } from '@tanstack/react-query'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import type { DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { DependentLists } from '../../record/dependents-dialog.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { knowsUses, speechUsesQuery, toDependentKinds } from './dependents.tsx'
import { ownPath } from './queries.ts'
import { canOpenService, serviceName } from './service.ts'

interface DeleteServiceProps extends DeleteDialogHandlers {
  service: SpeechCredential
}

/** Confirmation dialog that lists the applications that use a speech service, and deletes the service. */
export const DeleteService = ({ service, onClose, onDeleted }: DeleteServiceProps) => {
  const { speech_credential_sid, vendor, label } = service
  const owner = ownPath(useProviderSid())
  const uses = useQuery({ ...speechUsesQuery(speech_credential_sid), enabled: knowsUses() })
  const remove = useAction({
    run: async () => {
      // A different user may have signed in from another tab since the list was read.
      if (!canOpenService(service))
        throw new ApiError('rejected', 403, 'You do not have permissions to delete these Speech Credentials')
      const { account_sid, service_provider_sid } = owner
      if (account_sid === undefined)
        await api('DELETE /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid', {
          params: { service_provider_sid, speech_credential_sid },
        })
      else
        await api('DELETE /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid', {
          params: { account_sid, speech_credential_sid },
        })
    },
    done: () => `Deleted speech service ${vendorName(vendor)}${label ? ` (${label})` : ''}`,
    changes: [['speech']],
    after: () => (onDeleted ?? onClose)(),
  })
  const kinds = uses.data ? toDependentKinds(uses.data) : []
  return (
    <ConfirmAction
      action={remove}
      title="Delete speech service?"
      confirmLabel="Delete speech service"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{serviceName(service)}</bdi>
        </strong>{' '}
        will be deleted with its keys. This cannot be undone.
      </p>
      {uses.isLoading && <p>Checking which applications use it…</p>}
      {uses.error && <p>Could not check which applications use it: {errorMessage(uses.error)}</p>}
      {kinds.length > 0 && (
        <>
          <p>These applications lose it:</p>
          <DependentLists kinds={kinds} />
        </>
      )}
    </ConfirmAction>
  )
}
