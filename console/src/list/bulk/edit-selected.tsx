import { useState } from 'react'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { Banner } from '../../ui/banner.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { countText } from '../../ui/format/text.ts'
import { Dialog, DialogActions } from '../../ui/overlay/dialog.tsx'
import { type BulkDialogProps, useBulkChange } from './use-bulk-change.ts'

interface EditSelectedProps extends BulkDialogProps {
  flags: readonly { name: string; label: string }[]
}

const choices = [
  { value: '', label: 'No change' },
  { value: '1', label: 'Yes' },
  { value: '0', label: 'No' },
]

/** Dialog that sets fields of the selected records. It starts without a choice, and changes only chosen fields. */
export const EditSelected = ({ kind, nouns, sids, changes, flags, onStarted, onClose }: EditSelectedProps) => {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const change = useBulkChange({ kind, changes, onStarted })
  const chosen = Object.entries(values).filter(([, value]) => value !== '')
  const count = countText(sids.length, sids.length, nouns)
  const save = () =>
    change.mutate({
      kind,
      operation: 'update',
      values: Object.fromEntries(chosen.map(([name, value]) => [name, value === '1'])),
      sids: [...sids],
    })
  return (
    <Dialog
      title={`Edit ${count}`}
      blocking={change.isPending}
      onClose={onClose}
      footer={
        <DialogActions
          busy={change.isPending}
          disabledReason={chosen.length === 0 ? 'Choose a value for at least one field' : undefined}
          onConfirm={save}
          onCancel={onClose}
        >
          {`Change ${count}`}
        </DialogActions>
      }
    >
      {flags.map(({ name, label }) => (
        <SelectField
          key={name}
          label={label}
          options={choices}
          value={values[name] ?? ''}
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
        />
      ))}
      {change.error && (
        <Banner tone="bad" role="alert" requestId={getRequestId(change.error)}>
          {errorMessage(change.error)}
        </Banner>
      )}
    </Dialog>
  )
}
