import type { ReactNode } from 'react'
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form'
import { requiredSession } from '../session/session.ts'
import { FormFrame } from '../ui/form-frame.tsx'
import { viewOnlyReason } from './view-only.ts'

/** What the hook of a resource's form answers: its state, and how it is saved. */
export interface RecordFormState<Values extends FieldValues> {
  form: UseFormReturn<Values>
  submit: () => void
  submitError: string | undefined
  busy: boolean
  /** asks before unsaved changes are left */
  prompt: ReactNode
}

interface RecordFormProps<Values extends FieldValues> {
  label: string
  state: RecordFormState<Values>
  cancel: ReactNode
  /** the sections */
  children: ReactNode
}

/** The form of a record, to add or to edit it: the frame, wired to the state; only shown to view-only users. */
export const RecordForm = <Values extends FieldValues>({ label, state, cancel, children }: RecordFormProps<Values>) => {
  const { form, submit, submitError, busy, prompt } = state
  return (
    <FormProvider {...form}>
      <FormFrame
        label={label}
        onSubmit={submit}
        submitError={submitError}
        dirty={form.formState.isDirty}
        busy={busy}
        readOnlyReason={viewOnlyReason(requiredSession().actor)}
        cancel={cancel}
      >
        {children}
      </FormFrame>
      {prompt}
    </FormProvider>
  )
}
