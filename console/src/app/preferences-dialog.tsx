import { version } from '../../../package.json'
import { canOpen } from '../routes/define-screen.ts'
import { overview } from '../routes/overview.ts'
import { requiredSession } from '../session/session.ts'
import { SelectField } from '../ui/fields/field.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { choose, usePreferences } from '../ui/preferences.ts'
import { PreferencesForm } from '../ui/preferences-form.tsx'
import { menuTarget } from './menu-targets.ts'
import { screens } from './pages.ts'
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

/** The screen that the user starts on. The overview is above the others, and only Patchbay's own server has it. */
const StartPageField = () => {
  const { startPage } = usePreferences()
  const { actor } = requiredSession()
  if (!canOpen(overview, actor)) return null
  const start = screens.find((screen) => screen.isHome && menuTarget(screen, actor))
  return (
    <SelectField
      label="Start page"
      options={[
        { value: 'default', label: start?.menu?.label ?? start?.title ?? 'Accounts' },
        { value: 'overview', label: overview.title },
      ]}
      value={startPage}
      hint="Opens after you sign in."
      onChange={({ target }) => choose({ startPage: target.value === 'overview' ? 'overview' : 'default' })}
    />
  )
}

/** Preferences of this browser. */
export const PreferencesDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Preferences" onClose={onClose} closeOnBackdrop>
    <ThemeField />
    <StartPageField />
    <PreferencesForm />
    <p className="note">Patchbay {version}</p>
  </Dialog>
)
