import type { ApiKey } from '@patchbay/contract/api-keys'
import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { IconButton } from '../../ui/button.tsx'
import { DeleteKey } from './delete-key.tsx'
import { formatKey, hasKeyNames } from './key-columns.tsx'

const dialogs = {
  rotate: lazyDialog('rotate-key', async () => (await import('./rotate-key.tsx')).RotateKey),
  rename: lazyDialog('rename-key', async () => (await import('./rename-key.tsx')).RenameKey),
  delete: DeleteKey,
}

/** Returns the buttons of a row of API keys, their number, and the dialog that is open. */
export const useKeyActions = (): { actions: (key: ApiKey) => ReactNode; actionCount: number; dialog: ReactNode } => {
  const [open, setOpen] = useState<{ apiKey: ApiKey; action: keyof typeof dialogs }>()
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const canRename = hasKeyNames()
  const actions = useCallback(
    (apiKey: ApiKey) => (
      <>
        <IconButton
          label={`Rotate ${formatKey(apiKey)}`}
          disabledReason={viewOnly}
          onClick={() => setOpen({ apiKey, action: 'rotate' })}
        >
          <RefreshCw size={15} aria-hidden="true" />
        </IconButton>
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
  const OpenDialog = open && dialogs[open.action]
  return {
    actions,
    actionCount: canRename ? 3 : 2,
    dialog: OpenDialog && <OpenDialog apiKey={open.apiKey} onClose={() => setOpen(undefined)} />,
  }
}
