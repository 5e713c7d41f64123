import { useProviders } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { CheckboxField } from '../ui/fields/field.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { choose, usePreferences } from '../ui/preferences.ts'
import { Keys, modifier } from './kbd.tsx'
import { goTargets } from './menu-targets.ts'
import styles from './shortcuts-dialog.module.css'

type Entry = readonly [keys: readonly string[], does: string]

const everywhere: readonly Entry[] = [
  [[modifier.shown, 'K'], 'Search screens, records, and actions'],
  [['?'], 'Show keyboard shortcuts'],
  [['Esc'], 'Close, or empty a filter'],
]

const inLists: readonly Entry[] = [
  [['/'], 'Filter'],
  [['↑', '↓'], 'Move between rows'],
  [['←', '→'], 'Move within a row'],
  [['Home', 'End'], 'First and last row'],
  [['Enter'], 'Open the row'],
]

const inConversations: readonly Entry[] = [
  [['n'], 'Next finding'],
  [['p'], 'Previous finding'],
]

const inForms: readonly Entry[] = [[[modifier.shown, 'S'], 'Save']]

const Part = ({ title, entries }: { title: string; entries: readonly Entry[] }) => (
  <section>
    <h3>{title}</h3>
    <dl>
      {entries.map(([keys, does]) => (
        <div key={does}>
          <dt>{does}</dt>
          <dd>
            <Keys keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  </section>
)

/** Lists the keyboard shortcuts, and lets the user turn off those that consist of a single character. */
export const KeysDialog = ({ onClose }: { onClose: () => void }) => {
  const { letterKeys } = usePreferences()
  const { current } = useProviders()
  const goes = goTargets(requiredSession().actor, current).map(({ key, label }): Entry => [['g', key], label])
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} closeOnBackdrop size="medium">
      <div className={styles['parts']} tabIndex={-1} data-autofocus>
        <Part title="Everywhere" entries={everywhere} />
        <Part title="In a list" entries={inLists} />
        <Part title="Go to" entries={goes} />
        <Part title="In the conversation of a call" entries={inConversations} />
        <Part title="In a form" entries={inForms} />
      </div>
      <CheckboxField
        label="Enable single-character shortcuts"
        hint="Shortcuts such as / and ?. Turn them off if you use speech input or another tool that types for you."
        checked={letterKeys === 'on'}
        onChange={({ target }) => choose({ letterKeys: target.checked ? 'on' : 'off' })}
      />
    </Dialog>
  )
}
