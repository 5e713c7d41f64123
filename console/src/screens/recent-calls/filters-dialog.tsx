import { countedDurations } from '@patchbay/contract/shared/call-durations'
import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { type FormEvent, useState } from 'react'
import { config } from '../../api/configuration.ts'
import { DialogForm } from '../../feedback/dialog-form.tsx'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { checkFilters, type FilterErrors, type FilterInput } from './check-filters.ts'

interface FiltersDialogProps {
  search: CallSearch
  change: (to: CallSearch) => void
  onClose: () => void
}

/** Returns the counted durations, and the one from the URL if it is not among them. */
const toDurationOptions = (chosen: string) => [
  { value: '', label: 'any' },
  ...[...new Set([...countedDurations.map(String), ...(chosen ? [chosen] : [])])]
    .toSorted((a, b) => Number(a) - Number(b))
    .map((value) => ({ value, label: formatDurationLong(Number(value)) })),
]

/** Edits the filters of recent calls that are used less often. A filter that the server does not support is left out. */
export const FiltersDialog = ({ search, change, onClose }: FiltersDialogProps) => {
  const { from = '', until = '', trunk = '', sip_status = '', min_duration = '' } = search
  const [input, setInput] = useState<FilterInput>({ from, until, trunk, sip_status, min_duration })
  const [errors, setErrors] = useState<FilterErrors>({})
  const { extensions } = config()
  const field = (name: keyof FilterInput) => ({
    value: input[name],
    error: errors[name],
    onChange: ({ target }: { target: { value: string } }) => setInput({ ...input, [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const newErrors = checkFilters(input)
    setErrors(newErrors)
    if (Object.keys(newErrors).length > 0) return
    change({
      from: input.from || undefined,
      until: input.until || undefined,
      trunk: input.trunk.trim() || undefined,
      sip_status: input.sip_status || undefined,
      min_duration: input.min_duration || undefined,
    })
    onClose()
  }
  return (
    <Dialog title="More filters" onClose={onClose}>
      <DialogForm
        label="More filters"
        submitLabel="Apply filters"
        busy={false}
        error={null}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          type="date"
          label="From"
          hint="The first day, in UTC. It replaces the date filter."
          data-autofocus
          {...field('from')}
        />
        <TextField type="date" label="Until" hint="The last day, in UTC." {...field('until')} />
        <TextField
          label="Carrier"
          hint="The complete name, as in the column Trunk."
          autoComplete="off"
          {...field('trunk')}
        />
        {extensions.has('call-status-filter') && (
          <TextField
            label="SIP status"
            hint="The final status, such as 503."
            inputMode="numeric"
            autoComplete="off"
            {...field('sip_status')}
          />
        )}
        {extensions.has('call-duration-filter') && (
          <SelectField label="Minimum duration" options={toDurationOptions(min_duration)} {...field('min_duration')} />
        )}
      </DialogForm>
    </Dialog>
  )
}
