import { CircleCheck, CircleX } from 'lucide-react'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './subdomain-field.module.css'
import type { Availability } from './use-availability.ts'

const describeAvailability = (state: Availability, full: string): string => {
  switch (state.is) {
    case 'empty':
      return 'At least three characters: letters, digits, and hyphens.'
    case 'checking':
      return `Checking whether ${full} is available…`
    case 'free':
      return `${full} is available.`
    case 'taken':
      return `${full} is taken.`
    case 'own':
      return `${full} is your current subdomain.`
    case 'wrong':
      return `A subdomain ${state.fault}.`
    case 'unknown':
      return `Could not check whether ${full} is available: ${state.why}`
  }
}

const Mark = ({ state }: { state: Availability }) => {
  if (state.is === 'free') return <CircleCheck className={styles['good']} size={18} role="img" aria-label="valid" />
  if (state.is === 'wrong' || state.is === 'taken')
    return <CircleX className={styles['bad']} size={18} role="img" aria-label="not valid" />
  return null
}

/** A field for a name below the root domain of the installation, with its availability. */
export const SubdomainField = ({
  value,
  rootDomain,
  state,
  error,
  onChange,
}: {
  value: string
  rootDomain: string
  state: Availability
  /** The error message of the server. */
  error?: string | undefined
  onChange: (name: string) => void
}) => (
  <div className={styles['subdomain']}>
    <TextField
      label="Subdomain"
      name="subdomain"
      mono
      value={value}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      after={
        <>
          <span className={styles['root']}>.{rootDomain}</span>
          <Mark state={state} />
        </>
      }
      error={error}
      onChange={(event) => onChange(event.target.value.trim().toLowerCase())}
      required
    />
    <p className={styles['saying']} role="status" data-state={state.is}>
      {describeAvailability(state, `${value}.${rootDomain}`)}
    </p>
  </div>
)
