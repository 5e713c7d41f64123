import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Banner } from '../banner.tsx'
import { Button, IconButton } from '../button.tsx'
import { classes } from '../classes.ts'
import { pageTitleId } from '../page-header.tsx'
import { Spinner } from '../spinner.tsx'
import styles from './dialog.module.css'
import { pushModal } from './modal-stack.ts'

interface ModalProps {
  label: { 'aria-labelledby': string } | { 'aria-label': string }
  className?: string | undefined
  onEscape: (() => void) | undefined
  onBackdrop?: (() => void) | undefined
  children: ReactNode
}

export interface DialogProps {
  title: ReactNode
  children?: ReactNode
  /** Buttons at the bottom edge. A dialog with a form can have its buttons in the form instead. */
  footer?: ReactNode
  onClose: () => void
  /** True while an action runs that must not be interrupted. The dialog cannot be closed then. */
  blocking?: boolean
  /** A click outside the dialog closes it too. Only for dialogs without input. */
  closeOnBackdrop?: boolean
  size?: 'small' | 'medium' | 'large'
}

export interface ConfirmDialogProps {
  title: ReactNode
  /** The question, with the name of the object in bold and the consequences of the action. */
  children: ReactNode
  confirmLabel?: string
  cancelLabel?: string
  danger?: boolean
  busy?: boolean
  /** Why the action failed. The dialog stays open. */
  error: string | undefined
  /** The id of the failed request. */
  requestId?: string | undefined
  /** Why the action cannot be confirmed, for example because other records depend on the object. */
  confirmDisabledReason?: string | undefined
  onConfirm: () => void
  onCancel: () => void
}

const giveFocusBack = (opener: Element | null) => {
  const active = document.activeElement
  if (active !== null && active !== document.body && active !== opener && !active.closest('dialog')) return
  const hasNoOpener = !(opener instanceof HTMLElement) || !opener.isConnected || opener === document.body
  if (hasNoOpener) document.getElementById(pageTitleId)?.focus()
  else opener.focus()
}

/** A native dialog that is open while it is mounted. It is a child of the body, because forms cannot be nested. */
export const Modal = ({ label, className, onEscape, onBackdrop, children }: ModalProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const popupTakesEscape = useRef(false)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return undefined
    const opener = document.activeElement
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    const popModal = pushModal(dialog)
    return () => {
      popModal()
      dialog.close()
      giveFocusBack(opener)
    }
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    popupTakesEscape.current = event.target instanceof Element && event.target.matches('[aria-expanded="true"]')
    if (popupTakesEscape.current) return
    // Browsers close a dialog at the second Escape, even if its `cancel` event was prevented.
    event.preventDefault()
    onEscape?.()
  }
  const onCancel = (event: SyntheticEvent) => {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    if (!popupTakesEscape.current) onEscape?.()
    popupTakesEscape.current = false
  }

  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what its keys and its backdrop do is its own
    <dialog
      ref={ref}
      {...label}
      tabIndex={-1}
      className={classes(styles.dialog, className)}
      onKeyDown={onKeyDown}
      onCancel={onCancel}
      onClick={(event) => {
        // React events bubble through the component tree, where a form or a table row could handle them.
        event.stopPropagation()
        if (event.target === event.currentTarget) onBackdrop?.()
      }}
      onSubmit={(event) => event.stopPropagation()}
    >
      {children}
    </dialog>,
    document.body,
  )
}

/**
 * A modal dialog that is open while it is mounted. Esc closes it, and the focus returns to the element that opened it.
 */
export const Dialog = (props: DialogProps) => {
  const { title, children, footer, onClose, blocking = false, closeOnBackdrop = false, size = 'small' } = props
  const titleId = useId()
  const close = blocking ? undefined : onClose
  return (
    <Modal
      label={{ 'aria-labelledby': titleId }}
      className={styles[size]}
      onEscape={close}
      onBackdrop={closeOnBackdrop ? close : undefined}
    >
      <div className={styles.frame}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        {children === undefined ? null : <div className={styles.body}>{children}</div>}
        {footer === undefined ? null : <div className={styles.footer}>{footer}</div>}
        {close ? (
          <div className={styles.close}>
            <IconButton label="Close" size="small" icon={<X aria-hidden="true" />} onClick={close} />
          </div>
        ) : null}
      </div>
    </Modal>
  )
}

interface DialogActionsProps {
  /** Label of the action. */
  children: ReactNode
  cancelLabel?: string | undefined
  danger?: boolean | undefined
  busy: boolean
  disabledReason?: string | undefined
  /** Whether the button that cancels has the focus at first. */
  focusesCancel?: boolean
  onConfirm: () => void
  onCancel: () => void
}

/** The footer of a dialog with an action: a button that cancels, and one that runs the action. */
export const DialogActions = (props: DialogActionsProps) => (
  <>
    <Button
      data-autofocus={props.focusesCancel || undefined}
      onClick={props.onCancel}
      disabledReason={props.busy ? 'In progress. The dialog closes when it is done.' : undefined}
    >
      {props.cancelLabel ?? 'Cancel'}
    </Button>
    <Button
      variant={props.danger ? 'danger' : 'primary'}
      busy={props.busy}
      disabledReason={props.disabledReason}
      onClick={props.onConfirm}
    >
      {props.children}
    </Button>
  </>
)

/** A dialog that asks for confirmation. It stays open while the action runs and if the action fails. */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { title, children, confirmLabel = 'Confirm', danger = false, busy = false } = props
  return (
    <Dialog
      title={title}
      onClose={props.onCancel}
      blocking={busy}
      footer={
        <DialogActions
          focusesCancel
          cancelLabel={props.cancelLabel}
          danger={danger}
          busy={busy}
          disabledReason={props.confirmDisabledReason}
          onConfirm={props.onConfirm}
          onCancel={props.onCancel}
        >
          {confirmLabel}
        </DialogActions>
      }
    >
      {children}
      {props.error === undefined ? null : (
        <Banner tone="bad" role="alert" requestId={props.requestId}>
          {props.error}
        </Banner>
      )}
    </Dialog>
  )
}

/** Covers the page while an action runs that must not be interrupted. It has no button and cannot be closed. */
export const BlockingNotice = ({ children }: { children: string }) => (
  <Modal label={{ 'aria-label': children }} className={styles.small} onEscape={undefined}>
    <div className={styles.notice}>
      <Spinner />
      <output>{children}</output>
    </div>
  </Modal>
)
