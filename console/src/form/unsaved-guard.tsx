import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { currentSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { ConfirmDialog } from '../ui/overlay/dialog.tsx'

/**
 * Asks for confirmation before the user leaves unsaved changes, within the console or by closing the tab. Returns the
 * dialog to render.
 */
export const useUnsavedGuard = (dirty: boolean): ReactNode => {
  // After the session has ended, or before a demanded change of the password, the form cannot be saved.
  const blocks = () => dirty && currentSession() !== undefined && stored.oldPassword.read() === null
  const blocker = useBlocker({
    // Changing search parameters, such as the tab of the record, discards no input.
    shouldBlockFn: ({ current, next }) => blocks() && current.pathname !== next.pathname,
    enableBeforeUnload: blocks,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title="Leave without saving?"
      confirmLabel="Leave"
      danger
      busy={false}
      error={undefined}
      onConfirm={blocker.proceed}
      onCancel={blocker.reset}
    >
      <p>Your changes on this page have not been saved.</p>
    </ConfirmDialog>
  )
}
