import type { FormEvent, ReactNode } from 'react'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import styles from './dialog-form.module.css'

interface DialogFormProps {
  /** Accessible name, usually the title of the dialog. */
  label: string
  submitLabel: string
  busy: boolean
  /** The error of the last attempt. */
  error: Error | null
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  /** Called for every change of a field. */
  onChange?: ((event: FormEvent<HTMLFormElement>) => void) | undefined
  onCancel: () => void
  children: ReactNode
}

/** A form in a dialog: the fields, the error of the last attempt, and the buttons. */
export const DialogForm = ({
  label,
  submitLabel,
  busy,
  error,
  onSubmit,
  onChange,
  onCancel,
  children,
}: DialogFormProps) => (
  <form onSubmit={onSubmit} onChange={onChange} noValidate className={styles['form']} aria-label={label}>
    {children}
    {error && (
      <Banner tone="bad" role="alert" requestId={getRequestId(error)}>
        {errorMessage(error)}
      </Banner>
    )}
    <div className={styles['actions']}>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant="primary" busy={busy}>
        {submitLabel}
      </Button>
    </div>
  </form>
)
