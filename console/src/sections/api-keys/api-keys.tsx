import type { ApiKey } from '@patchbay/contract/api-keys'
import { maskToken } from '@patchbay/contract/shared/masking'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysQuery, type KeyOwner } from '../../api/record-queries.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataTable, type TableColumn } from '../../ui/data-table.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { EmptyState } from '../../ui/list-state.tsx'
import { toDate } from '../../ui/datetime.ts'
import { LastUsed, RelativeTime } from '../../ui/time.tsx'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import styles from './api-keys.module.css'
import { CreateKey } from './create-key.tsx'

/** The platform's own server sends tokens whole. */
const formatToken = ({ token }: ApiKey): string => maskToken(token)

const hasEnded = ({ expires_at }: ApiKey): boolean =>
  (toDate(expires_at)?.getTime() ?? Number.POSITIVE_INFINITY) <= Date.now()

const End = ({ apiKey }: { apiKey: ApiKey }) => {
  if (apiKey.expires_at === null) return 'Never'
  return hasEnded(apiKey) ? <StateBadge tone="bad">Expired</StateBadge> : <RelativeTime iso={apiKey.expires_at} />
}

const columns: readonly TableColumn<ApiKey>[] = [
  { id: 'token', header: 'Key', share: 24, cell: (key) => <code>{formatToken(key)}</code> },
  {
    id: 'created',
    header: 'Created',
    share: 9,
    nowrap: true,
    named: true,
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
  },
  { id: 'expires', header: 'Expires', share: 8, nowrap: true, named: true, cell: (key) => <End apiKey={key} /> },
  {
    id: 'used',
    header: 'Last used',
    share: 9,
    nowrap: true,
    named: true,
    cell: ({ last_used }) => <LastUsed iso={last_used} />,
  },
]

const rowKey = ({ api_key_sid }: ApiKey): string => api_key_sid

interface ApiKeysProps {
  owner: KeyOwner
  title: string
  /** Describes the access that the keys give. */
  description: ReactNode
}

/** The API keys of an account, a service provider, or the platform, which can be listed, created, and deleted. */
export const ApiKeys = ({ owner, title, description }: ApiKeysProps) => {
  const query = useQuery(apiKeysQuery(owner))
  const [adding, setAdding] = useState(false)
  const [createdToken, setCreatedToken] = useState<string>()
  const [deleting, setDeleting] = useState<ApiKey>()
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const actions = useCallback(
    (key: ApiKey) => (
      <IconButton label={`Delete ${formatToken(key)}`} disabledReason={viewOnly} onClick={() => setDeleting(key)}>
        <Trash2 size={15} aria-hidden="true" />
      </IconButton>
    ),
    [viewOnly],
  )
  const { data, error } = query
  return (
    <div className={styles['keys']}>
      <FormSection
        title={title}
        description={description}
        action={
          <Button
            icon={<Plus size={16} aria-hidden="true" />}
            disabledReason={viewOnly}
            onClick={() => setAdding(true)}
          >
            Add key
          </Button>
        }
      >
        {data === undefined && error !== null ? (
          <QueryFailed error={error} onRetry={() => void query.refetch()} />
        ) : (
          <DataTable
            caption={title}
            columns={columns}
            rows={data ?? []}
            rowKey={rowKey}
            state={data === undefined ? 'loading' : 'ready'}
            skeletonRows={2}
            empty={
              <EmptyState title="No API keys yet." hint="Programs use a key instead of a password to call the API." />
            }
            actions={actions}
            marked={createdToken}
          />
        )}
      </FormSection>
      {adding && (
        <CreateKey
          owner={owner}
          onClose={(sid) => {
            setAdding(false)
            setCreatedToken(sid)
          }}
        />
      )}
      {deleting && <DeleteKey apiKey={deleting} owner={owner} onClose={() => setDeleting(undefined)} />}
    </div>
  )
}

const DeleteKey = ({ apiKey, owner, onClose }: { apiKey: ApiKey; owner: KeyOwner; onClose: () => void }) => {
  const { api_key_sid } = apiKey
  const remove = useAction({
    run: () => api('DELETE /ApiKeys/:api_key_sid', { params: { api_key_sid } }),
    done: () => 'API key deleted',
    changes: [apiKeysQuery(owner).queryKey],
    after: onClose,
  })
  return (
    <ConfirmAction action={remove} title="Delete API key?" confirmLabel="Delete key" danger onCancel={onClose}>
      <p>
        Programs that use <code>{formatToken(apiKey)}</code> lose access immediately. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
