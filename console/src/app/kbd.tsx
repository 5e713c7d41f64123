import styles from './kbd.module.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The modifier key of shortcuts: its name in `aria-keyshortcuts`, and its label on keyboards. */
export const modifier = isApple ? { name: 'Meta', shown: '⌘' } : { name: 'Control', shown: 'Ctrl' }

/** Displays keys that are pressed together or one after the other. */
export const Keys = ({ keys, hidden }: { keys: readonly string[]; hidden?: boolean }) => (
  <span className={styles['keys']} aria-hidden={hidden}>
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
)
