import type { ReactNode } from 'react'
import { type FieldValues, FormProvider } from 'react-hook-form'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { lazyContent } from '../lazy/lazy-content.tsx'
import { listBackLink } from '../list/list-navigation-state.ts'
import type { Screen } from '../routes/define-screen.ts'
import { ScreenLink } from '../screen/links.tsx'
import { requiredSession } from '../session/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { FormFrame } from '../ui/fields/form-frame.tsx'
import { CopyRequest } from './copy-request/copy-request.tsx'
import type { RecordFormState } from './use-record-form.tsx'

/** Loads after the form, which keeps a column for it. */
const SectionIndex = lazyContent('section-index', async () => (await import('./section-index.tsx')).SectionIndex)

const ChangeSummary = lazyContent('change-summary', async () => (await import('./change-summary.tsx')).ChangeSummary)

interface RecordFormProps<Values extends FieldValues> {
  label: string
  state: RecordFormState<Values>
  /** The list that Cancel returns to. Without it, the form has no Cancel button. */
  list?: Screen | false
  /** The reason why the form cannot be saved at present. */
  blocked?: string | undefined
  /** Sections after the form, which are saved on their own. */
  after?: ReactNode
  /** The sections. */
  children: ReactNode
}

/** Form that adds or edits a record: the frame, connected to the state. Read-only for view-only users. */
export const RecordForm = <Values extends FieldValues>({
  label,
  state,
  list,
  blocked,
  after,
  children,
}: RecordFormProps<Values>) => {
  const { form, isNew, submit, prepare, submitError, busy, prompt } = state
  const readOnly = requiredSession().actor.is_view_only
  const dirty = form.formState.isDirty
  return (
    <FormProvider {...form}>
      <FormFrame
        label={label}
        onSubmit={submit}
        submitError={submitError === undefined ? undefined : errorMessage(submitError)}
        requestId={getRequestId(submitError)}
        dirty={dirty}
        status={dirty && !isNew ? <ChangeSummary /> : undefined}
        docked={isNew}
        busy={busy}
        blocked={blocked}
        readOnly={readOnly}
        extra={!readOnly && <CopyRequest prepare={prepare} blocked={blocked} />}
        after={after}
        index={<SectionIndex />}
        cancel={
          list && (
            <ScreenLink {...listBackLink(list)} className={buttonClass('secondary')}>
              Cancel
            </ScreenLink>
          )
        }
      >
        {children}
      </FormFrame>
      {prompt}
    </FormProvider>
  )
}
