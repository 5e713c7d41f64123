import {
  missingPasswordRequirements,
  type PasswordPolicy,
  passwordRequirementLabel,
} from '@patchbay/rules/identity/passwords'
import { CircleCheck } from 'lucide-react'
import styles from './new-password-field.module.css'
import { PasswordField, type PasswordFieldProps } from './password-field.tsx'

export interface NewPasswordFieldProps extends Omit<PasswordFieldProps, 'autoComplete'> {
  policy: PasswordPolicy
  /** The content of the field. */
  typed: string
}

/** A field for a new password that lists the rules of the password policy, and shows which ones are met. */
export const NewPasswordField = ({ policy, typed, hint, ...field }: NewPasswordFieldProps) => {
  const missed = missingPasswordRequirements(typed, policy)
  const demands = missingPasswordRequirements('', policy).map((fault) => ({
    text: passwordRequirementLabel(fault, policy),
    isMet: !missed.includes(fault),
  }))
  return (
    <PasswordField
      {...field}
      autoComplete="new-password"
      hint={
        <>
          {hint}
          {demands.map(({ text, isMet }) => (
            <span key={text} className={styles.demand} data-met={isMet || undefined}>
              {isMet ? <CircleCheck size={13} aria-hidden="true" /> : <span className={styles.unmet} />}
              {text}
              <span className="visually-hidden">{isMet ? ' (met). ' : ' (not met). '}</span>
            </span>
          ))}
        </>
      }
    />
  )
}
