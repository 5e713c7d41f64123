import { type FormEvent, type ReactNode, useRef } from 'react'
import { ErrorBanner } from '../feedback/error-banner.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, type DialogProps } from '../ui/overlay/dialog.tsx'
import { CopyRequest } from './copy-request/copy-request.tsx'
import styles from './form-dialog.module.css'

/** The state of the write that a form starts. */
interface ActionState {
  isPending: boolean
  error: Error | null
}

/** A write of a form, such as a `useAction`. */
export interface FormAction<Input> extends ActionState {
  mutate: (input: Input) => void
  /** Sends the requests of the write alone. */
  run: (input: Input) => Promise<unknown>
}

interface RequestFormProps<Input> {
  action: FormAction<Input>
  /** Returns what the form writes. Returns undefined if fields have errors, which it shows. */
  readInput: (form: HTMLFormElement) => Input | undefined
  onSubmit?: never
}

/** A form whose requests no program sends, such as one that changes only what the console shows. */
interface DisplayFormProps {
  action?: ActionState
  readInput?: never
  /** Called with the form, unless the action is running. */
  onSubmit: (form: HTMLFormElement) => void
}

interface CommonProps {
  /** Accessible name, usually the title of the dialog. */
  label: string
  submitLabel: string
  /** The error below the fields, if it is not that of the action. Null if a field shows it. */
  error?: Error | null
  /** Called for every change of a field. */
  onChange?: (event: FormEvent<HTMLFormElement>) => void
  onCancel: () => void
  children: ReactNode
}

type DialogFormProps<Input> = CommonProps & (RequestFormProps<Input> | DisplayFormProps)

/** A form within a dialog that shows more than the form: the fields, the error of the last attempt, and the buttons. */
export const DialogForm = <Input,>(props: DialogFormProps<Input>) => {
  const { label, submitLabel, action, error = action?.error, onChange, onCancel, children } = props
  const form = useRef<HTMLFormElement>(null)
  const isPending = action?.isPending ?? false
  /** Passes on what the form writes, if it is valid. */
  const withInput = ({ readInput }: RequestFormProps<Input>, use: (input: Input) => void) => {
    const input = form.current && !isPending ? readInput(form.current) : undefined
    if (input !== undefined) use(input)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (props.readInput) withInput(props, props.action.mutate)
    else if (!isPending) props.onSubmit(event.currentTarget)
  }
  return (
    <form ref={form} onSubmit={submit} onChange={onChange} noValidate className={styles['form']} aria-label={label}>
      {children}
      {error && <ErrorBanner error={error} />}
      <div className={styles['actions']}>
        {props.readInput && (
          <CopyRequest prepare={(use) => withInput(props, (input) => use(() => props.action.run(input)))} />
        )}
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={isPending}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}

type FormDialogProps<Input> = Omit<CommonProps, 'label' | 'onCancel'> &
  (RequestFormProps<Input> | DisplayFormProps) &
  Pick<DialogProps, 'size' | 'onClose'> & { title: string }

/** A dialog that is a form. It cannot be closed while its action is running. */
export const FormDialog = <Input,>({ title, size, onClose, ...form }: FormDialogProps<Input>) => (
  <Dialog title={title} onClose={onClose} blocking={form.action?.isPending} size={size}>
    <DialogForm<Input> label={title} onCancel={onClose} {...form} />
  </Dialog>
)
