import { use } from 'react'
import { useController } from 'react-hook-form'
import { Button } from '../../../ui/button.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import styles from './application-form.module.css'
import type { ApplicationValues } from './application-form.ts'

/** Lists stored variables that neither webhook declares. They are kept until the user removes them. */
export const KeptEnvFields = ({ names }: { names: readonly string[] }) => {
  const { field } = useController<ApplicationValues, 'env_vars'>({ name: 'env_vars' })
  const readOnly = use(ReadOnlyFields)
  return (
    <fieldset className={styles['variables']}>
      <legend>Other environment variables</legend>
      <p className={styles['told']}>Stored variables that neither webhook declares. They are kept unchanged.</p>
      <ul className={styles['kept']}>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
            {!readOnly && (
              <Button
                size="small"
                variant="ghost"
                // The name stays in the object with the value undefined, which marks the variable as removed.
                onClick={() => field.onChange({ ...field.value, [name]: undefined })}
              >
                Remove<span className="visually-hidden"> {name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
