import { Dialog } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { PreferencesForm } from '../ui/preferences-form.tsx'
import { chooseTheme, themes, useTheme } from './theme.ts'

const themeNames = { system: 'Same as the system', light: 'Light', dark: 'Dark' } as const
const options = themes.map((value) => ({ value, label: themeNames[value] }))

const ThemeField = () => {
  const theme = useTheme()
  return (
    <SelectField
      label="Theme"
      options={options}
      value={theme}
      data-autofocus
      onChange={({ target }) => {
        chooseTheme(themes.find((one) => one === target.value) ?? 'system')
      }}
    />
  )
}

/** Preferences of this browser. */
export const PreferencesDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Preferences" onClose={onClose} closeOnBackdrop>
    <ThemeField />
    <PreferencesForm />
  </Dialog>
)
