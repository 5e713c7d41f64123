import styles from './kbd.module.css'

/** Keys as they are pressed, together or one after the other. */
export const Keys = ({ keys, hidden }: { keys: readonly string[]; hidden?: boolean }) => (
  <span className={styles['keys']} aria-hidden={hidden}>
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
)
