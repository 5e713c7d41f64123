import { type ReactNode, use, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { config } from '../../api/configuration.ts'
import { useFields } from '../../form/use-fields.ts'
import { SelectField } from '../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../ui/fields/field-frame.tsx'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ValueBox } from '../../ui/format/sid.tsx'
import {
  type EditedLimit,
  isUnlimitedText,
  type LimitsValues,
  type LimitUnit,
  limitLabels,
  limitsOfUnit,
} from './limits.ts'

interface WithLimits {
  limits: LimitsValues
}

const units = [
  { value: 'session', label: 'Session' },
  { value: 'minute', label: 'Minute' },
]

const isUnit = (text: string): text is LimitUnit => text === 'session' || text === 'minute'

const LimitField = ({ limit }: { limit: EditedLimit }) => {
  const field = useFields<WithLimits>()
  const { watch } = useFormContext<WithLimits>()
  const value = watch(`limits.${limit}`)
  const isNone = isUnlimitedText(value)
  if (use(ReadOnlyFields)) return <ValueBox label={limitLabels[limit]}>{isNone ? 'Unlimited' : value}</ValueBox>
  return (
    <TextField
      label={limitLabels[limit]}
      inputMode="numeric"
      autoComplete="off"
      // A number input reports invalid text as empty, which would remove the limit.
      after={isNone ? 'unlimited' : undefined}
      {...field(`limits.${limit}`)}
    />
  )
}

const FieldsOfUnit = ({ unit }: { unit: LimitUnit }) => (
  <FieldRow>
    {limitsOfUnit[unit].map((limit) => (
      <LimitField key={limit} limit={limit} />
    ))}
  </FieldRow>
)

/**
 * The limits of one unit at a time. Limits of the other unit also apply, so they are summarized. Read-only users see
 * all limits that are set.
 */
const LimitsByUnit = () => {
  const limits = useFormContext<WithLimits>().watch('limits')
  const listSetLimits = (unit: LimitUnit) => limitsOfUnit[unit].filter((limit) => !isUnlimitedText(limits[limit]))
  const isMinute = listSetLimits('minute').length > 0
  const isSession = listSetLimits('session').length > 0 || !isMinute
  const [unit, setUnit] = useState<LimitUnit>(isSession ? 'session' : 'minute')
  if (use(ReadOnlyFields))
    return (
      <>
        {isSession && <FieldsOfUnit unit="session" />}
        {isMinute && <FieldsOfUnit unit="minute" />}
      </>
    )
  const others = listSetLimits(unit === 'session' ? 'minute' : 'session')
  const otherLimits = others.map((limit) => `${limitLabels[limit]} ${limits[limit].trim()}`)
  return (
    <>
      <FieldRow>
        <SelectField
          label="Unit"
          options={units}
          value={unit}
          hint={otherLimits.length > 0 ? `Also set: ${otherLimits.join(', ')}.` : undefined}
          onChange={({ target }) => isUnit(target.value) && setUnit(target.value)}
        />
      </FieldRow>
      <FieldsOfUnit unit={unit} />
    </>
  )
}

interface LimitsSectionProps {
  /** Describes the scope of the limits. */
  description: ReactNode
  /** Displays the limits read-only, even if the user can change other fields of the form. */
  readOnly?: boolean
}

/** The limits of an account or a service provider, in a form whose values have the member `limits`. */
export const LimitsSection = ({ description, readOnly = false }: LimitsSectionProps) => (
  <ReadOnlyFields value={use(ReadOnlyFields) || readOnly}>
    <FormSection title="Limits" description={<>{description} Empty or 0 means unlimited.</>}>
      {config().switches.has('account-limits') ? (
        <LimitsByUnit />
      ) : (
        <FieldRow>
          <LimitField limit="voice_call_session" />
        </FieldRow>
      )}
    </FormSection>
  </ReadOnlyFields>
)
