import type { FormEvent, ReactNode } from 'react'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, type DialogProps } from '../ui/overlay/dialog.tsx'
import styles from './form-dialog.module.css'

/** The state of the write that a form starts, such as a `useAction`. */
interface FormAction {
  isPending: boolean
  error: Error | null
}

interface DialogFormProps {
  /** Accessible name, usually the title of the dialog. */
  label: string
  submitLabel: string
  /** Without an action, the form changes only what the browser shows. */
  action?: FormAction
  /** The error below the fields, if it is not that of the action. Null if a field shows it. */
  error?: Error | null
  /** Called with the form, unless the action is running. */
  onSubmit: (form: HTMLFormElement) => void
  /** Called for every change of a field. */
  onChange?: (event: FormEvent<HTMLFormElement>) => void
  onCancel: () => void
  children: ReactNode
}

const noAction: FormAction = { isPending: false, error: null }

/** A form within a dialog that shows more than the form: the fields, the error of the last attempt, and the buttons. */
export const DialogForm = ({
  label,
  submitLabel,
  action = noAction,
  error = action.error,
  onSubmit,
  onChange,
  onCancel,
  children,
}: DialogFormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!action.isPending) onSubmit(event.currentTarget)
  }
  return (
    <form onSubmit={submit} onChange={onChange} noValidate className={styles['form']} aria-label={label}>
      {children}
      {error && (
        <Banner tone="bad" role="alert" requestId={getRequestId(error)}>
          {errorMessage(error)}
        </Banner>
      )}
      <div className={styles['actions']}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={action.isPending}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}

export interface FormDialogProps
  extends Omit<DialogFormProps, 'label' | 'onCancel'>,
    Pick<DialogProps, 'size' | 'onClose'> {
  title: string
}

/** A dialog that is a form. It cannot be closed while its action is running. */
export const FormDialog = ({ title, size, onClose, ...form }: FormDialogProps) => (
  <Dialog title={title} onClose={onClose} blocking={form.action?.isPending} size={size}>
    <DialogForm label={title} onCancel={onClose} {...form} />
  </Dialog>
)
