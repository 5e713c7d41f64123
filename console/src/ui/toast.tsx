import { CircleCheck, CircleX, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { classes } from './classes.ts'
import { useTopModal } from './modal-stack.ts'
import styles from './toast.module.css'

/** How long a toast stays, in milliseconds. */
export const TOAST_MS = 5000

const most = 3

export interface Toast {
  id: number
  kind: 'success' | 'failure'
  text: string
}

/** Raises toasts from anywhere, inside React or out of it. */
export interface Toaster {
  success: (text: string) => void
  failure: (text: string) => void
  dismiss: (id: number) => void
  subscribe: (listener: () => void) => () => void
  /** The toasts that show, oldest first; the same array until something changes. */
  toasts: () => readonly Toast[]
}

/** A new store of toasts, shown by the `ToastRegion` it is given to. */
export const createToaster = (): Toaster => {
  let shown: readonly Toast[] = []
  let last = 0
  const listeners = new Set<() => void>()
  const change = (next: readonly Toast[]) => {
    shown = next
    for (const listener of listeners) listener()
  }
  const raise = (kind: Toast['kind']) => (text: string) => {
    last += 1
    // The same words again restart the clock instead of standing there twice.
    const others = shown.filter((toast) => toast.text !== text || toast.kind !== kind)
    change([...others, { id: last, kind, text }].slice(-most))
  }
  return {
    success: raise('success'),
    failure: raise('failure'),
    dismiss: (id) => change(shown.filter((toast) => toast.id !== id)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    toasts: () => shown,
  }
}

const ToastItem = ({ toast, toaster }: { toast: Toast; toaster: Toaster }) => {
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  const held = hovered || focused

  useEffect(() => {
    if (held) return undefined
    const timer = setTimeout(() => toaster.dismiss(toast.id), TOAST_MS)
    return () => clearTimeout(timer)
  }, [held, toast.id, toaster])

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
      <p className={styles.text}>{toast.text}</p>
      <button type="button" className={styles.dismiss} aria-label="Dismiss" onClick={() => toaster.dismiss(toast.id)}>
        <X size={14} aria-hidden="true" />
      </button>
    </div>
  )
}

/** Where toasts appear, in live regions: polite, and assertive for failures. */
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
