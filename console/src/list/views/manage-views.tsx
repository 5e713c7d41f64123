import type { SavedView } from '@patchbay/contract/saved-views'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import styles from './manage-views.module.css'
import { ViewNameDialog } from './view-name-dialog.tsx'

interface ManageViewsProps {
  views: readonly SavedView[]
  /** Called with the SID of a deleted view. */
  onDeleted: (saved_view_sid: string) => void
  onClose: () => void
}

const changes = [['list-settings']]

const RenameView = ({ view, onClose }: { view: SavedView; onClose: () => void }) => {
  const { saved_view_sid } = view
  const rename = useAction({
    run: (name: string) =>
      api('PUT /patchbay/saved-views/:saved_view_sid', { params: { saved_view_sid }, body: { name } }),
    done: () => 'View renamed',
    changes,
    after: onClose,
    quiet: true,
  })
  return (
    <ViewNameDialog title="Rename view" submitLabel="Rename view" name={view.name} action={rename} onClose={onClose} />
  )
}

const DeleteView = ({ view, onDeleted, onClose }: Omit<ManageViewsProps, 'views'> & { view: SavedView }) => {
  const { saved_view_sid, name } = view
  const remove = useAction({
    run: () => api('DELETE /patchbay/saved-views/:saved_view_sid', { params: { saved_view_sid } }),
    done: () => 'View deleted',
    changes,
    after: () => {
      onDeleted(saved_view_sid)
      onClose()
    },
    quiet: true,
  })
  return (
    <ConfirmAction title="Delete view?" confirmLabel="Delete view" danger action={remove} onCancel={onClose}>
      Do you want to delete the view <strong>{name}</strong>?
    </ConfirmAction>
  )
}

/** Renames and deletes saved views. */
export const ManageViews = ({ views, onDeleted, onClose }: ManageViewsProps) => {
  const [task, setTask] = useState<{ is: 'rename' | 'delete'; view: SavedView }>()
  const endTask = () => setTask(undefined)
  return (
    <Dialog title="Manage views" onClose={onClose}>
      {views.length === 0 && <p className="note">You have no saved views.</p>}
      <ul className={styles['views']}>
        {views.map((view) => (
          <li key={view.saved_view_sid}>
            <span className={styles['name']}>{view.name}</span>
            <Button size="small" aria-label={`Rename ${view.name}`} onClick={() => setTask({ is: 'rename', view })}>
              Rename
            </Button>
            <Button size="small" aria-label={`Delete ${view.name}`} onClick={() => setTask({ is: 'delete', view })}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {task?.is === 'rename' && <RenameView view={task.view} onClose={endTask} />}
      {task?.is === 'delete' && <DeleteView view={task.view} onDeleted={onDeleted} onClose={endTask} />}
    </Dialog>
  )
}
