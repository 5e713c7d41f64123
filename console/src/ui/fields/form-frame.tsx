import {
  type MouseEvent,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { Banner } from '../banner.tsx'
import { Button } from '../button.tsx'
import { classes } from '../classes.ts'
import { modalIsOpen } from '../overlay/modal-stack.ts'
import { ReadOnlyFields } from './field-frame.tsx'
import styles from './form-frame.module.css'
import layout from './form-layout.module.css'

export interface FormFrameProps {
  /** The form's name, for assistive technology. */
  label?: string
  /** Called after the browser's submission is prevented. Never called while the form is busy, blocked, or read-only. */
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => unknown
  /** The error message of the server that blocks the save. Required, so that every form handles it. */
  submitError: string | undefined
  /** The id of the rejected request. */
  requestId?: string | undefined
  /** The form has unsaved changes. */
  dirty: boolean
  /** The buttons stay within reach although there are no changes, as in a form that adds a record. */
  docked?: boolean
  busy: boolean
  /** Why the form cannot be saved, whatever the user enters. */
  blocked?: string | undefined
  saveLabel?: string
  /** Replaces the text of the bar: what has changed, or that an asterisk marks required fields. */
  status?: ReactNode
  /** The link back to the list. Omitted in forms that are pages of their own. */
  cancel?: ReactNode
  /** Further buttons in the bar, before Cancel. */
  extra?: ReactNode
  /** Sections after the form, which are saved on their own. */
  after?: ReactNode
  /** Links to the sections, beside a form with many sections on a wide screen. */
  index?: ReactNode
  /** The fields are displayed read-only, and their values can be copied. */
  readOnly?: boolean
  children: ReactNode
}

export interface FormSectionProps {
  title: ReactNode
  description?: ReactNode
  /** A link below the description. */
  action?: ReactNode
  children: ReactNode
}

const requiredNote = 'Fields marked with an asterisk (*) are required.'

/**
 * The buttons of a form. They are the last row of the form, and stick to the bottom of the page while there is something
 * to save or to say.
 */
const Bar = (props: FormFrameProps) => {
  const { submitError, requestId, dirty, docked = false, busy, blocked, saveLabel = 'Save', cancel, extra } = props
  const { readOnly = false, status = dirty ? 'Unsaved changes' : requiredNote } = props
  const isDocked = dirty || docked || readOnly || submitError !== undefined || blocked !== undefined
  return (
    <section
      aria-label={dirty ? 'Unsaved changes' : undefined}
      data-save-bar={isDocked || undefined}
      className={styles.bar}
    >
      {submitError === undefined ? null : (
        <Banner tone="bad" role="alert" requestId={requestId}>
          {submitError}
        </Banner>
      )}
      <div className={styles.row}>
        <output className={classes(styles.state, dirty && styles.dirty)}>{readOnly ? 'View only' : status}</output>
        {extra}
        {cancel}
        {readOnly ? null : (
          <Button
            type="submit"
            variant="primary"
            busy={busy}
            disabledReason={blocked}
            // The field keeps the focus until the button is released: an error that appears on blur would move the
            // button away from under the pointer, and the press would be lost.
            onMouseDown={(event) => event.preventDefault()}
          >
            {saveLabel}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Saves with Ctrl+S or Cmd+S from anywhere on the page. */
const useSaveKey = (form: RefObject<HTMLFormElement | null>): void => {
  useEffect(() => {
    const save = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // The form, which has no box of its own, may be in a tab that is not selected.
      if (!modalIsOpen() && form.current?.parentElement?.checkVisibility()) form.current.requestSubmit()
    }
    document.addEventListener('keydown', save)
    return () => document.removeEventListener('keydown', save)
  }, [form])
}

/** After a failed save, focuses the first field with an error, or the field that had the focus before the save. */
const useKeptFocus = (busy: boolean): RefObject<HTMLDivElement | null> => {
  const sections = useRef<HTMLDivElement>(null)
  const focused = useRef<Element>(null)
  useLayoutEffect(() => {
    const { activeElement, body } = document
    if (busy) focused.current = sections.current?.contains(activeElement) ? activeElement : null
    else {
      const wrong = sections.current?.querySelector<HTMLElement>('[aria-invalid=true]')
      if (wrong) wrong.focus()
      else if (focused.current instanceof HTMLElement && activeElement === body) focused.current.focus()
      focused.current = null
    }
  }, [busy])
  return sections
}

const pressable = 'input[type=checkbox], input[type=radio], label, button:not([aria-haspopup], [tabindex="-1"])'

const pressed = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(pressable) : null

/**
 * Keeps the focus in a field until the pressed pointer is released. An error that appears or disappears when the field
 * loses the focus would otherwise move the button from under the pointer, and the click would be lost.
 */
const keepUntilReleased = {
  onMouseDown: (event: MouseEvent) => {
    if (pressed(event.target)) event.preventDefault()
  },
  onClickCapture: ({ target }: MouseEvent) => {
    const pressedControl = pressed(target)
    if (pressedControl && !(pressedControl instanceof HTMLLabelElement)) pressedControl.focus()
  },
}

/** The frame of every form: sections in one grid, and a bar with the buttons. */
export const FormFrame = (props: FormFrameProps) => {
  const { label, onSubmit, busy, blocked, readOnly = false, after, index, children } = props
  const form = useRef<HTMLFormElement>(null)
  useSaveKey(form)
  const sections = useKeptFocus(busy)

  return (
    <div className={layout.page}>
      <form
        ref={form}
        aria-label={label}
        noValidate
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && blocked === undefined && !readOnly) onSubmit(event)
        }}
      >
        {/* The form is disabled while it is saved, because input would be lost. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- it only moves the focus that a press would */}
        <div
          {...keepUntilReleased}
          ref={sections}
          inert={busy}
          data-read-only={readOnly || undefined}
          className={layout.sections}
        >
          <ReadOnlyFields value={readOnly}>{children}</ReadOnlyFields>
        </div>
        <Bar {...props} />
        {index && <div className={styles.index}>{index}</div>}
      </form>
      {after}
    </div>
  )
}

/** A titled part of a form. */
export const FormSection = ({ title, description, action, children }: FormSectionProps) => {
  const id = useId()
  return (
    <section className={layout.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {description === undefined ? null : <p>{description}</p>}
        {action}
      </header>
      <div className={layout.fields}>{children}</div>
    </section>
  )
}

/** Short fields, in pairs if there is enough space. */
export const FieldRow = ({ children }: { children: ReactNode }) => <div className={styles.fieldRow}>{children}</div>

interface FieldGroupProps {
  legend: string
  /** Set if an error concerns the group as a whole. */
  name?: string
  children: ReactNode
}

/** Fields below a common label, such as the rows of a list. */
export const FieldGroup = ({ legend, name, children }: FieldGroupProps) => (
  <fieldset name={name} className={styles.group}>
    <legend>{legend}</legend>
    {children}
  </fieldset>
)
