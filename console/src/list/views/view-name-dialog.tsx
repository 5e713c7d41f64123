import { savedViewLengths } from '@patchbay/contract/shared/viewed-screens'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'

interface ViewNameDialogProps {
  title: string
  submitLabel: string
  hint?: string
  name?: string
  action: { isPending: boolean; error: Error | null; mutate: (name: string) => void }
  onClose: () => void
}

const checkName = (name: string): string | undefined => {
  if (name === '') return 'Enter a name.'
  const max = savedViewLengths.name
  return name.length > max ? `A name has at most ${max} characters.` : undefined
}

/** Asks for the name of a new view, or for the new name of one. */
export const ViewNameDialog = ({ title, submitLabel, hint, name = '', action, onClose }: ViewNameDialogProps) => {
  const [text, setText] = useState(name)
  const [problem, setProblem] = useState<string>()
  const { error } = action
  const isAtField = error instanceof ApiError && error.field === 'name'
  const submit = () => {
    const nameProblem = checkName(text.trim())
    setProblem(nameProblem)
    if (nameProblem === undefined) action.mutate(text.trim())
  }
  return (
    <FormDialog
      title={title}
      size="small"
      submitLabel={submitLabel}
      action={action}
      error={isAtField ? null : error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoComplete="off"
        data-autofocus
        {...(hint === undefined ? {} : { hint })}
        value={text}
        error={problem ?? (isAtField ? error.message : undefined)}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  )
}
