import { type ReactNode, use, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { runtime } from '../../api/configuration.ts'
import { ReadOnlyFields } from '../../ui/field-frame.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FieldRow, FormSection } from '../../ui/form-frame.tsx'
import {
  type EditedLimit,
  isUnlimitedText,
  limitLabels,
  limitsOfUnit,
  type LimitsValues,
  type LimitUnit,
} from './limits.ts'

interface WithLimits {
  limits: LimitsValues
}

const units = [
  { value: 'session', label: 'Session' },
  { value: 'minute', label: 'Minute' },
]

const isUnit = (text: string): text is LimitUnit => text === 'session' || text === 'minute'

const otherOf = (unit: LimitUnit): LimitUnit => (unit === 'session' ? 'minute' : 'session')

const LimitField = ({ limit }: { limit: EditedLimit }) => {
  const { register, watch, formState } = useFormContext<WithLimits>()
  return (
    <TextField
      label={limitLabels[limit]}
      inputMode="numeric"
      autoComplete="off"
      // A number box says of what is no number that it is empty, which here means to remove the limit.
      after={isUnlimitedText(watch(`limits.${limit}`)) ? 'unlimited' : undefined}
      error={formState.errors.limits?.[limit]?.message}
      {...register(`limits.${limit}`)}
    />
  )
}

/** Both units, one at a time. What the other one holds goes on, so it is told. */
const LimitsByUnit = () => {
  const { watch } = useFormContext<WithLimits>()
  const limits = watch('limits')
  const isSet = (unit: LimitUnit) => limitsOfUnit[unit].filter((limit) => !isUnlimitedText(limits[limit]))
  const [unit, setUnit] = useState<LimitUnit>(() =>
    isSet('session').length === 0 && isSet('minute').length > 0 ? 'minute' : 'session',
  )
  const others = isSet(otherOf(unit)).map((limit) => `${limitLabels[limit]} ${limits[limit].trim()}`)
  // What is shown may be chosen by who may change nothing, too.
  return (
    <>
      <ReadOnlyFields value={false}>
        <SelectField
          label="Unit"
          options={units}
          value={unit}
          hint={others.length > 0 ? `Also set: ${others.join(', ')}.` : undefined}
          onChange={({ target }) => isUnit(target.value) && setUnit(target.value)}
        />
      </ReadOnlyFields>
      <FieldRow>
        {limitsOfUnit[unit].map((limit) => (
          <LimitField key={limit} limit={limit} />
        ))}
      </FieldRow>
    </>
  )
}

interface LimitsSectionProps {
  /** what is limited */
  description: ReactNode
  /** only shown, whoever else may change the form */
  readOnly?: boolean
}

/** The limits of an account or a service provider; of a form whose values have a member `limits`. */
export const LimitsSection = ({ description, readOnly = false }: LimitsSectionProps) => (
  <ReadOnlyFields value={use(ReadOnlyFields) || readOnly}>
    <FormSection title="Limits" description={<>{description} Empty or 0 means unlimited.</>}>
      {runtime().switches.has('account-limits') ? <LimitsByUnit /> : <LimitField limit="voice_call_session" />}
    </FormSection>
  </ReadOnlyFields>
)
