import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { sbcsQuery } from '../../api/sbcs-query.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { addSipAddressHash } from '../../routes/settings.ts'
import { useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { RelativeTime } from '../../ui/format/time.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { SipAddressDialog } from './sip-address-dialog.tsx'

const formatAddress = ({ ipv4, port }: Pick<SbcAddress, 'ipv4' | 'port'>): string => `${ipv4}:${port}`

const columns: readonly TableColumn<SbcAddress>[] = [
  {
    id: 'address',
    header: 'Address',
    share: 18,
    nowrap: true,
    cell: (address) => <code>{formatAddress(address)}</code>,
  },
  { id: 'tls', header: 'TLS port', share: 8, nowrap: true, cell: ({ tls_port }) => tls_port },
  { id: 'wss', header: 'WSS port', share: 8, nowrap: true, cell: ({ wss_port }) => wss_port },
  {
    id: 'for',
    header: 'Used by',
    share: 14,
    card: 'detail',
    cell: ({ service_provider_sid }) =>
      service_provider_sid === null ? 'All service providers' : 'This provider only',
  },
  {
    id: 'updated',
    header: 'Reported',
    share: 10,
    nowrap: true,
    priority: 2,
    card: 'end',
    cell: ({ last_updated }) => (last_updated === null ? 'Entered by hand' : <RelativeTime iso={last_updated} />),
  },
]

const rowKey = ({ sbc_address_sid }: SbcAddress): string => sbc_address_sid

/** Shared addresses and those of the current provider. The API returns the latter only if the provider has any. */
const useSipAddresses = () => {
  const current = useProviders().current?.service_provider_sid ?? ''
  const shared = useQuery(sbcsQuery(''))
  const ofProvider = useQuery({ ...sbcsQuery(current), enabled: current !== '' })
  const addresses = useMemo(() => {
    if (shared.data === undefined || (current !== '' && ofProvider.data === undefined)) return undefined
    const own = ofProvider.data?.filter(({ service_provider_sid }) => service_provider_sid !== null) ?? []
    return [...shared.data, ...own]
  }, [shared.data, ofProvider.data, current])
  return {
    addresses,
    error: shared.error ?? ofProvider.error,
    refetch: () => Promise.all([shared.refetch(), ...(current === '' ? [] : [ofProvider.refetch()])]),
  }
}

/** The addresses at which carriers and devices reach the SBCs. For admins only. */
export const SipAddresses = () => {
  const { addresses, error, refetch } = useSipAddresses()
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const [edited, setEdited] = useState<SbcAddress | 'new' | undefined>(() =>
    viewOnly === undefined && window.location.hash === `#${addSipAddressHash}` ? 'new' : undefined,
  )
  const [removed, setRemoved] = useState<SbcAddress>()
  useEffect(() => {
    // A reload does not open the form again.
    const { hash, pathname, search } = window.location
    if (hash !== '') window.history.replaceState(window.history.state, '', pathname + search)
  }, [])
  const actions = useCallback(
    (address: SbcAddress) => (
      <>
        <IconButton
          label={`Edit ${formatAddress(address)}`}
          disabledReason={viewOnly}
          onClick={() => setEdited(address)}
        >
          <Pencil size={15} aria-hidden="true" />
        </IconButton>
        <IconButton
          label={`Delete ${formatAddress(address)}`}
          disabledReason={viewOnly}
          onClick={() => setRemoved(address)}
        >
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      </>
    ),
    [viewOnly],
  )
  return (
    <>
      <FormSection
        title="SIP addresses"
        description="Carriers and devices send their calls to these addresses of the SBCs. The SBCs of a platform report their addresses and delete those that are no longer reported."
      >
        {addresses === undefined && error !== null ? (
          <QueryFailed error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            caption="SIP addresses"
            columns={columns}
            rows={addresses ?? []}
            rowKey={rowKey}
            state={addresses === undefined ? 'loading' : 'ready'}
            skeletonRows={1}
            empty={
              <EmptyState
                title="No SIP addresses yet."
                hint="Add the public address of your SBC, so that the forms of carriers and SIP clients can show it."
              />
            }
            actions={actions}
          />
        )}
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={viewOnly}
            onClick={() => setEdited('new')}
          >
            Add address
          </Button>
        </div>
      </FormSection>
      {edited && (
        <SipAddressDialog address={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {removed && <DeleteAddress address={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

const DeleteAddress = ({ address, onClose }: { address: SbcAddress; onClose: () => void }) => {
  const { sbc_address_sid } = address
  const remove = useAction({
    run: () => api('DELETE /Sbcs/:sbc_address_sid', { params: { sbc_address_sid } }),
    done: () => 'SIP address deleted',
    changes: [['sbcs']],
    after: onClose,
  })
  return (
    <ConfirmAction action={remove} title="Delete SIP address?" confirmLabel="Delete address" danger onCancel={onClose}>
      <p>
        The forms of carriers and SIP clients no longer show <code>{formatAddress(address)}</code>. Calls to the address
        are not affected.
      </p>
    </ConfirmAction>
  )
}
