import { useMemo, useState } from 'react'
import { SelectField, type SelectOption } from './fields/field.tsx'
import { momentText } from './format/datetime.ts'
import { choose, codeSizes, usePreferences } from './preferences.ts'
import styles from './preferences-form.module.css'

const zoneOptions = (chosen: string): readonly SelectOption[] => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const timeZones = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  // Browsers accept former names of time zones, which the list does not contain.
  const named =
    timeZones.includes(chosen) || chosen === 'local' || chosen === 'UTC' ? timeZones : [chosen, ...timeZones]
  return [
    { value: 'local', label: `Local time (${here})` },
    { value: 'UTC', label: 'UTC' },
    ...named.map((name) => ({ value: name, label: name.replaceAll('_', ' '), group: name.split('/')[0] })),
  ]
}

const clocks: readonly SelectOption[] = [
  { value: '24', label: '24 hours' },
  { value: '12', label: '12 hours' },
]

const densities: readonly SelectOption[] = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
]

const sizes: readonly SelectOption[] = codeSizes.map((size) => ({ value: String(size), label: `${size} px` }))

/** The display preferences of the user. They apply immediately, without a save button. */
export const PreferencesForm = () => {
  const { timeZone, clock, density, codeSize } = usePreferences()
  const zones = useMemo(() => zoneOptions(timeZone), [timeZone])
  const [opened] = useState(() => new Date())
  return (
    <div className={styles.form}>
      <SelectField
        label="Time zone"
        options={zones}
        value={timeZone}
        hint={`Times read like “${momentText(opened, opened, { timeZone, clock })}”.`}
        onChange={({ target }) => choose({ timeZone: target.value })}
      />
      <SelectField
        label="Clock"
        options={clocks}
        value={clock}
        onChange={({ target }) => choose({ clock: target.value === '12' ? '12' : '24' })}
      />
      <SelectField
        label="Density"
        options={densities}
        value={density}
        hint="Height of rows and controls."
        onChange={({ target }) => choose({ density: target.value === 'compact' ? 'compact' : 'comfortable' })}
      />
      <SelectField
        label="Code font size"
        options={sizes}
        value={String(codeSize)}
        hint="Applies to logs, webhook responses, and verbs."
        onChange={({ target }) => choose({ codeSize: Number(target.value) })}
      />
    </div>
  )
}
