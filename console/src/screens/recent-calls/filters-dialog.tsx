import { selectedResults } from '@patchbay/contract/shared/call-results'
import { useState } from 'react'
import { ApplicationField } from '../../fields/application-field.tsx'
import { CarrierNameField } from '../../fields/carrier-name-field.tsx'
import { NumberField } from '../../fields/number-field.tsx'
import { FormDialog } from '../../form/form-dialog.tsx'
import { conversationSearch } from '../../routes/conversation-search.ts'
import { canOpen } from '../../routes/define-screen.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { SelectField } from '../../ui/fields/field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { written } from '../../ui/format/datetime.ts'
import { type Preferences, usePreferences } from '../../ui/preferences.ts'
import { hasMoreFilters } from './call-filters.ts'
import { checkFilters, type FilterErrors, type FilterInput } from './check-filters.ts'
import { toMaxDurationOptions, toMinDurationOptions } from './duration-filters.ts'

const resultOptions = [{ value: '', label: 'any' }, ...selectedResults.map((value) => ({ value, label: value }))]

interface FiltersDialogProps {
  search: CallSearch
  /** The account whose records can be chosen. Empty for those of all accounts. */
  account_sid: string
  change: (to: CallSearch) => void
  onClose: () => void
}

const toInput = (search: CallSearch): FilterInput => {
  const { from = '', until = '', number = '', trunk = '', application_sid = '' } = search
  const { result = '', sip_status = '', min_duration = '', max_duration = '' } = search
  return {
    from: from.slice(0, 10),
    until: until.slice(0, 10),
    number,
    trunk,
    result,
    application_sid,
    sip_status,
    min_duration,
    max_duration,
  }
}

/** Returns a sentence about the times of a UTC day in the selected time zone, unless both are the same. */
const describeUtcDay = (preferences: Preferences): string => {
  const today = new Date(new Date().toISOString().slice(0, 10))
  const { time } = written(today, preferences)
  return time === written(today, { ...preferences, timeZone: 'UTC' }).time
    ? ''
    : ` A day begins at ${time} of your time zone.`
}

/** Edits the filters of recent calls that are used less often. A filter that the server does not support is left out. */
export const FiltersDialog = ({ search, account_sid, change, onClose }: FiltersDialogProps) => {
  const [input, setInput] = useState(() => toInput(search))
  const [errors, setErrors] = useState<FilterErrors>({})
  const hasMore = hasMoreFilters()
  const service_provider_sid = useProviderSid()
  const set = (name: keyof FilterInput) => (value: string) => {
    const newInput = { ...input, [name]: value }
    setInput(newInput)
    // A message goes when its field is corrected.
    const found = checkFilters(newInput)
    setErrors(Object.fromEntries(Object.entries(found).filter(([field]) => Reflect.get(errors, field) !== undefined)))
  }
  const field = (name: keyof FilterInput) => ({
    value: input[name],
    error: errors[name],
    onChange: ({ target }: { target: { value: string } }) => set(name)(target.value),
  })
  const submit = () => {
    const newErrors = checkFilters(input)
    setErrors(newErrors)
    if (Object.keys(newErrors).length > 0) return
    const filters = Object.entries(input).map(([name, value]) => [name, value.trim() || undefined])
    // An instant, which a link has set, is displayed as its day. It stays unless the user chooses another day.
    const unchanged = (['from', 'until'] as const).filter((name) => input[name] === search[name]?.slice(0, 10))
    change({
      ...Object.fromEntries(filters),
      ...Object.fromEntries(unchanged.map((name) => [name, search[name]])),
    } as CallSearch)
    onClose()
  }
  return (
    <FormDialog title="Add filter" submitLabel="Apply filters" onSubmit={submit} onClose={onClose}>
      <TextField
        type="date"
        label="From"
        hint={`The first day, in UTC like the days of all charts. It replaces the date filter.${describeUtcDay(usePreferences())}`}
        data-autofocus
        {...field('from')}
      />
      <TextField type="date" label="Until" hint="The last day, in UTC." {...field('until')} />
      {hasMore && (
        <NumberField
          account_sid={account_sid}
          label="Number"
          hint="A part of the calling or called number. With a leading +, the start of it, such as +1 508."
          {...field('number')}
        />
      )}
      {hasMore && <SelectField label="Result" options={resultOptions} {...field('result')} />}
      <CarrierNameField account_sid={account_sid} label="Carrier" value={input.trunk} onChange={set('trunk')} />
      {hasMore && (
        <ApplicationField
          owner={account_sid === '' ? { service_provider_sid } : { account_sid }}
          label="Application"
          none="any"
          value={input.application_sid}
          onChange={set('application_sid')}
        />
      )}
      {hasMore && (
        <TextField
          label="SIP status"
          hint="The final status, such as 503."
          inputMode="numeric"
          autoComplete="off"
          {...field('sip_status')}
        />
      )}
      {hasMore && (
        <SelectField
          label="Minimum duration"
          options={toMinDurationOptions(input.min_duration)}
          {...field('min_duration')}
        />
      )}
      {hasMore && (
        <SelectField
          label="Maximum duration"
          options={toMaxDurationOptions(input.max_duration)}
          {...field('max_duration')}
        />
      )}
      {canOpen(conversationSearch, requiredSession().actor) && (
        <p className="note">
          To find calls by what was said, use the{' '}
          <ScreenLink to={conversationSearch} search={{ account: account_sid || 'all' }}>
            conversation search
          </ScreenLink>
          .
        </p>
      )}
    </FormDialog>
  )
}
