import { formatCount } from './format/text.ts'
import styles from './progress-line.module.css'

interface ProgressLineProps {
  label: string
  done: number
  of: number
}

/** Progress bar of a long operation, with the number of finished items. */
export const ProgressLine = ({ label, done, of }: ProgressLineProps) => (
  <div className={styles['progress']}>
    <progress aria-label={label} value={done} max={Math.max(of, 1)} />
    <output>
      {label}: {formatCount(done)} of {formatCount(of)}
    </output>
  </div>
)
