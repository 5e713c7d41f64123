import type { ApiKey } from '@patchbay/contract/api-keys'
import { Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { api } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { IconButton } from '../../ui/button.tsx'
import { formatKey, hasKeyNames, type KeyDialogProps } from './key-columns.tsx'

const DeleteKey = ({ apiKey, onClose }: KeyDialogProps) => {
  const { api_key_sid } = apiKey
  const remove = useAction({
    run: () => api('DELETE /ApiKeys/:api_key_sid', { params: { api_key_sid } }),
    done: () => 'API key deleted',
    changes: [apiKeysKey],
    after: onClose,
  })
  return (
    <ConfirmAction action={remove} title="Delete API key?" confirmLabel="Delete key" danger onCancel={onClose}>
      <p>
        Programs that use <code>{formatKey(apiKey)}</code> lose access immediately. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}

const RenameKey = lazyDialog('rename-key', async () => (await import('./rename-key.tsx')).RenameKey)

/** Returns the buttons of a row of API keys, their number, and the dialog that is open. */
export const useKeyActions = (): { actions: (key: ApiKey) => ReactNode; actionCount: number; dialog: ReactNode } => {
  const [open, setOpen] = useState<{ apiKey: ApiKey; action: 'rename' | 'delete' }>()
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const canRename = hasKeyNames()
  const actions = useCallback(
    (apiKey: ApiKey) => (
      <>
        {canRename && (
          <IconButton
            label={`Rename ${formatKey(apiKey)}`}
            disabledReason={viewOnly}
            onClick={() => setOpen({ apiKey, action: 'rename' })}
          >
            <Pencil size={15} aria-hidden="true" />
          </IconButton>
        )}
        <IconButton
          label={`Delete ${formatKey(apiKey)}`}
          disabledReason={viewOnly}
          onClick={() => setOpen({ apiKey, action: 'delete' })}
        >
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      </>
    ),
    [canRename, viewOnly],
  )
  const OpenDialog = open?.action === 'rename' ? RenameKey : DeleteKey
  return {
    actions,
    actionCount: canRename ? 2 : 1,
    dialog: open && <OpenDialog apiKey={open.apiKey} onClose={() => setOpen(undefined)} />,
  }
}
