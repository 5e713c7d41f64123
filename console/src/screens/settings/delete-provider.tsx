import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { providersQuery } from '../../api/shared-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { switchProvider } from '../../list/list-navigation-state.ts'
import { InUseDialog } from '../../record/dependents-dialog.tsx'
import { accountList } from '../../routes/accounts.ts'
import { ScreenLink, startPath } from '../../screen/links.tsx'
import { useProviders } from '../../session/current-provider.ts'
import { Button } from '../../ui/button.tsx'
import { belongingsText, blockersText } from './provider-counts.ts'
import { providerContentsQuery } from './queries.ts'

/** Returns what blocks the deletion and what else it deletes. Both are undefined if the server cannot count. */
const useContents = (service_provider_sid: string) => {
  const { data, isError } = useQuery(providerContentsQuery(service_provider_sid))
  if (isError) return { counting: false, blockers: undefined, belongings: undefined }
  return {
    counting: data === undefined,
    blockers: data && blockersText(data),
    belongings: data && belongingsText(data),
  }
}

const DeleteWithContents = lazyDialog(
  'delete-provider-with-contents',
  async () => (await import('./delete-provider-with-contents.tsx')).DeleteProviderWithContents,
)

interface DeleteProviderProps {
  provider: ServiceProvider
  onClose: () => void
  /** Runs when a deletion with contents has started, which continues in the background. */
  onStarted: () => void
}

/**
 * Confirmation dialog that deletes a service provider after the user has typed its name. Another provider is then
 * selected. If the provider is in use, the dialog says so, and leads to the deletion with its contents.
 */
export const DeleteProvider = ({ provider, onClose, onStarted }: DeleteProviderProps) => {
  const { service_provider_sid, name } = provider
  const { providers } = useProviders()
  const navigate = useNavigate()
  const { counting, blockers, belongings } = useContents(service_provider_sid)
  const [typed, setTyped] = useState('')
  const [isWithContents, setWithContents] = useState(false)
  const nextProvider = providers.find((other) => other.service_provider_sid !== service_provider_sid)
  const remove = useAction({
    run: () => api('DELETE /ServiceProviders/:service_provider_sid', { params: { service_provider_sid } }),
    done: () => `Deleted service provider ${name}`,
    changes: [providersQuery.queryKey],
    after: async () => {
      if (nextProvider) switchProvider(nextProvider.service_provider_sid)
      // Unsaved edits of the form are discarded, because the provider no longer exists.
      await navigate({ to: startPath, ignoreBlocker: true })
    },
  })

  const isBlocked = blockers !== undefined && blockers !== ''
  const reason = () => {
    if (counting) return 'Counting its records.'
    if (isBlocked) return 'It is still in use.'
    return isConfirmed(name, typed) ? undefined : 'Type the name of the service provider to confirm.'
  }
  const what = (): ReactNode => {
    if (counting) return ' will be deleted with all its records, which are being counted…'
    if (isBlocked) return ` cannot be deleted while it has ${blockers}. Move or delete them first.`
    const goes =
      belongings === undefined
        ? 'and with it its carriers, speech services, API keys, and limits. It must have no accounts and no users left.'
        : belongings === ''
          ? 'which is empty.'
          : `and with it ${belongings}.`
    return ` will be deleted, ${goes} This cannot be undone.`
  }

  const nameAndWhat = (
    <p aria-live="polite">
      <strong>
        <bdi>{name}</bdi>
      </strong>
      {what()}
    </p>
  )
  const accounts = (
    <p>
      <ScreenLink to={accountList}>Show its accounts</ScreenLink>
    </p>
  )
  if (isWithContents) return <DeleteWithContents provider={provider} onClose={onClose} onStarted={onStarted} />
  if (isBlocked && config().extensions.has('provider-cascade'))
    return (
      <InUseDialog
        what="service provider"
        kinds={[]}
        onClose={onClose}
        action={
          <Button variant="warning" onClick={() => setWithContents(true)}>
            Delete with contents…
          </Button>
        }
      >
        {nameAndWhat}
        {accounts}
      </InUseDialog>
    )
  return (
    <ConfirmAction
      action={remove}
      title="Delete service provider?"
      confirmLabel="Delete service provider"
      danger
      confirmDisabledReason={reason()}
      onCancel={onClose}
    >
      {nameAndWhat}
      {isBlocked ? accounts : <ConfirmByNameField name={name} typed={typed} onType={setTyped} />}
    </ConfirmAction>
  )
}
