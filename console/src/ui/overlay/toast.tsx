import { CircleCheck, CircleX, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../button.tsx'
import { classes } from '../classes.ts'
import { RequestId } from '../request-id.tsx'
import { useTopModal } from './modal-stack.ts'
import styles from './toast.module.css'

/** The lifetime of a toast, in milliseconds. */
export const TOAST_MS = 5000

const max = 3

export interface FailureMore {
  /** The id of the failed request, for support. */
  requestId?: string | undefined
}

/** A button in a toast, such as Undo. It dismisses the toast. */
export interface ToastAction {
  label: string
  run: () => void
}

export interface Toast extends FailureMore {
  id: number
  kind: 'success' | 'failure'
  text: string
  action?: ToastAction | undefined
}

/** Shows toasts from inside and outside of React components. */
export interface Toaster {
  success: (text: string, more?: { action?: ToastAction }) => void
  failure: (text: string, more?: FailureMore) => void
  dismiss: (id: number) => void
  /** Stops the timer of a toast while the user reads it. */
  hold: (id: number) => void
  /** Restarts the timer of a toast with its full duration. */
  release: (id: number) => void
  subscribe: (listener: () => void) => () => void
  /** The visible toasts, oldest first. The array is replaced only if they change. */
  toasts: () => readonly Toast[]
}

/**
 * Creates a store of toasts for `ToastRegion`. The timers run here, because the region is mounted again whenever a
 * dialog opens or closes.
 */
export const createToaster = (): Toaster => {
  let visibleToasts: readonly Toast[] = []
  let last = 0
  const clocks = new Map<number, ReturnType<typeof setTimeout>>()
  const listeners = new Set<() => void>()
  const hold = (id: number) => {
    clearTimeout(clocks.get(id))
    clocks.delete(id)
  }
  const change = (next: readonly Toast[]) => {
    for (const removed of visibleToasts.filter((toast) => !next.includes(toast))) hold(removed.id)
    visibleToasts = next
    for (const listener of listeners) listener()
  }
  const dismiss = (id: number) => change(visibleToasts.filter((toast) => toast.id !== id))
  const release = (id: number) => {
    hold(id)
    if (visibleToasts.some((toast) => toast.id === id))
      clocks.set(
        id,
        setTimeout(() => dismiss(id), TOAST_MS),
      )
  }
  const raise = (toast: Omit<Toast, 'id'>) => {
    last += 1
    // A toast with the same text restarts the timer and is not shown twice.
    const others = visibleToasts.filter(({ text, kind }) => text !== toast.text || kind !== toast.kind)
    change([...others, { id: last, ...toast }].slice(-max))
    release(last)
  }
  return {
    success: (text, { action } = {}) => raise({ kind: 'success', text, action }),
    failure: (text, { requestId } = {}) => raise({ kind: 'failure', text, requestId }),
    dismiss,
    hold,
    release,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    toasts: () => visibleToasts,
  }
}

const ToastItem = ({ toast, toaster }: { toast: Toast; toaster: Toaster }) => {
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  const isPaused = hovered || focused

  useEffect(() => {
    if (!isPaused) return undefined
    toaster.hold(toast.id)
    return () => toaster.release(toast.id)
  }, [isPaused, toast.id, toaster])

  const Icon = toast.kind === 'success' ? CircleCheck : CircleX
  return (
    <div
      className={classes(styles.toast, styles[toast.kind])}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <Icon className={styles.icon} size={16} aria-hidden="true" />
      <div className={styles.text}>
        <p>{toast.text}</p>
        {toast.requestId === undefined ? null : <RequestId id={toast.requestId} />}
      </div>
      {toast.action && (
        <Button
          size="small"
          onClick={() => {
            toaster.dismiss(toast.id)
            toast.action?.run()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <button type="button" className={styles.dismiss} aria-label="Dismiss" onClick={() => toaster.dismiss(toast.id)}>
        <X size={14} aria-hidden="true" />
      </button>
    </div>
  )
}

/** Shows toasts in live regions: assertive for failures, and polite for others. */
export const ToastRegion = ({ toaster }: { toaster: Toaster }) => {
  const toasts = useSyncExternalStore(toaster.subscribe, toaster.toasts)
  const modal = useTopModal()
  const items = (kind: Toast['kind']) =>
    toasts
      .filter((toast) => toast.kind === kind)
      .map((toast) => <ToastItem key={toast.id} toast={toast} toaster={toaster} />)
  return createPortal(
    <section className={styles.region} aria-label="Notifications">
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an output may not hold what a toast holds */}
      <div className={styles.stack} role="status" aria-atomic="false">
        {items('success')}
      </div>
      <div className={styles.stack} role="alert" aria-atomic="false">
        {items('failure')}
      </div>
    </section>,
    modal ?? document.body,
  )
}
