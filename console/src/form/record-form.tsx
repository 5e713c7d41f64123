import type { ReactNode } from 'react'
import { type FieldValues, FormProvider } from 'react-hook-form'
import { errorMessage, getRequestId } from '../api/api-error.ts'
import { requiredSession } from '../session/session.ts'
import { FormFrame } from '../ui/form-frame.tsx'
import type { RecordFormState } from './use-record-form.tsx'

interface RecordFormProps<Values extends FieldValues> {
  label: string
  state: RecordFormState<Values>
  /** a way back; not where there is nowhere to go back to */
  cancel?: ReactNode
  /** why nothing can be saved, whatever is typed */
  blocked?: string | undefined
  /** the sections */
  children: ReactNode
}

/** The form of a record, to add or to edit it: the frame, wired to the state; only shown to view-only users. */
export const RecordForm = <Values extends FieldValues>({
  label,
  state,
  cancel,
  blocked,
  children,
}: RecordFormProps<Values>) => {
  const { form, submit, submitError, busy, prompt } = state
  return (
    <FormProvider {...form}>
      <FormFrame
        label={label}
        onSubmit={submit}
        submitError={submitError === undefined ? undefined : errorMessage(submitError)}
        requestId={getRequestId(submitError)}
        dirty={form.formState.isDirty}
        busy={busy}
        blocked={blocked}
        readOnly={requiredSession().actor.is_view_only}
        cancel={cancel}
      >
        {children}
      </FormFrame>
      {prompt}
    </FormProvider>
  )
}
