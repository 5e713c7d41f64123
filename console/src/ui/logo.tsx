import styles from './logo.module.css'

/** The logo: a patch cord. */
export const Mark = () => (
  <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true" className={styles['mark']}>
    <rect width="32" height="32" rx="7" />
    <path d="M9 10c0 9 14 3 14 12" />
    <circle cx="9" cy="8" r="2.4" className={styles['live']} />
    <circle cx="23" cy="24" r="2.4" className={styles['live']} />
    <circle cx="23" cy="8" r="2.4" />
    <circle cx="9" cy="24" r="2.4" />
  </svg>
)
