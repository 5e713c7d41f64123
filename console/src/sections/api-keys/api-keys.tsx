import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { apiKeysQuery, type KeyOwner } from '../../api/record-queries.ts'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button } from '../../ui/button.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { keyColumns, keyRowKey } from './key-columns.tsx'
import { useKeyActions } from './use-key-actions.tsx'

const CreateKey = lazyDialog('create-key', async () => (await import('./create-key.tsx')).CreateKey)

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
  const [createdKey, setCreatedKey] = useState<string>()
  const { actions, actionCount, dialog } = useKeyActions()
  const { data, error } = query
  return (
    <>
      <FormSection title={title} description={description}>
        {data === undefined && error !== null ? (
          <QueryFailed error={error} onRetry={() => void query.refetch()} />
        ) : (
          <DataTable
            caption={title}
            columns={keyColumns()}
            rows={data ?? []}
            rowKey={keyRowKey}
            state={data === undefined ? 'loading' : 'ready'}
            skeletonRows={2}
            empty={
              <EmptyState title="No API keys yet." hint="Programs use a key instead of a password to call the API." />
            }
            actions={actions}
            actionCount={actionCount}
            marked={createdKey}
          />
        )}
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={viewOnlyReason(requiredSession().actor)}
            onClick={() => setAdding(true)}
          >
            Add key
          </Button>
        </div>
      </FormSection>
      {adding && (
        <CreateKey
          owner={owner}
          onClose={(sid) => {
            setAdding(false)
            setCreatedKey(sid)
          }}
        />
      )}
      {dialog}
    </>
  )
}
