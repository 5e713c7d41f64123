import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { currentSession } from '../session/session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'

/** Asks before unsaved changes are left, in the console and when the tab is closed. */
export const useUnsavedGuard = (dirty: boolean): { release: () => void; prompt: ReactNode } => {
  const released = useRef(false)
  const blocks = () => dirty && !released.current && currentSession() !== undefined
  const blocker = useBlocker({ shouldBlockFn: blocks, enableBeforeUnload: blocks, withResolver: true })
  const release = () => {
    released.current = true
  }
  if (blocker.status !== 'blocked') return { release, prompt: null }
  const prompt = (
    <ConfirmDialog
      title="Leave without saving?"
      confirmLabel="Leave"
      danger
      busy={false}
      error={undefined}
      onConfirm={blocker.proceed}
      onCancel={blocker.reset}
    >
      <p>What you changed on this page has not been saved.</p>
    </ConfirmDialog>
  )
  return { release, prompt }
}
