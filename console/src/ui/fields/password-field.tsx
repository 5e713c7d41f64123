import { ArrowBigUpDash, Eye, EyeOff } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { IconButton } from '../button.tsx'
import styles from './password-field.module.css'
import { TextField, type TextFieldProps } from './text-field.tsx'

export type PasswordFieldProps = Omit<TextFieldProps, 'type' | 'after' | 'mono'>

/** A password field with a button that shows the password, and a warning while Caps Lock is on. */
export const PasswordField = (props: PasswordFieldProps) => {
  const [isVisible, setVisible] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const look = (event: KeyboardEvent | MouseEvent) => setCapsLock(event.getModifierState('CapsLock'))
  const label = isVisible ? 'Hide password' : 'Show password'
  const Icon = isVisible ? EyeOff : Eye

  return (
    <div className={styles.password}>
      <TextField
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...props}
        data-secret=""
        type={isVisible ? 'text' : 'password'}
        after={
          <IconButton
            label={label}
            size="small"
            icon={<Icon aria-hidden="true" />}
            aria-pressed={isVisible}
            onClick={() => setVisible(!isVisible)}
          />
        }
        onKeyDown={(event) => {
          look(event)
          props.onKeyDown?.(event)
        }}
        onKeyUp={(event) => {
          look(event)
          props.onKeyUp?.(event)
        }}
        onMouseDown={(event) => {
          look(event)
          props.onMouseDown?.(event)
        }}
        onBlur={(event) => {
          setCapsLock(false)
          props.onBlur?.(event)
        }}
      />
      <output className={styles.capsLock}>
        {capsLock ? (
          <>
            <ArrowBigUpDash size={14} aria-hidden="true" />
            CAPSLOCK is enabled!
          </>
        ) : null}
      </output>
    </div>
  )
}
