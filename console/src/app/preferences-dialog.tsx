import { version } from '../../../package.json'
import { config } from '../api/configuration.ts'
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

/** The version of the console, and the documentation of the API, which only Patchbay's own server has. */
const About = () => {
  const { apiBase, extensions } = config()
  return (
    <p className="note">
      Patchbay {version}
      {extensions.size > 0 && (
        <>
          {' · '}
          <a
            href={new URL('/api/docs', new URL(apiBase, window.location.origin)).href}
            target="_blank"
            rel="noreferrer"
          >
            API documentation
          </a>
        </>
      )}
    </p>
  )
}

/** Preferences of this browser. */
export const PreferencesDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Preferences" onClose={onClose} closeOnBackdrop>
    <ThemeField />
    <PreferencesForm />
    <About />
  </Dialog>
)
