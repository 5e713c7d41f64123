import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'
import { Tooltip } from './overlay/tooltip.tsx'
import { Spinner } from './spinner.tsx'

/** `warning` opens a question about a destructive action, and `danger` answers it. */
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'warning' | 'danger'
export type ButtonSize = 'small' | 'medium'

interface Pressable extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ButtonSize
  /** True while the action of this button runs. The button shows a spinner and cannot be pressed. */
  busy?: boolean
  /**
   * Why the button cannot be pressed. It stays focusable, unlike a `disabled` button, so that the reason can be read.
   */
  disabledReason?: string | undefined
}

export interface ButtonProps extends Pressable {
  icon?: ReactNode
}

export interface IconButtonProps extends Omit<Pressable, 'aria-label'> {
  /** The accessible name, also shown as a tooltip. */
  label: string
  /** The icon. It can also be passed as the child. */
  icon?: ReactNode
}

/** Returns the classes that make a link look like a button. */
export const buttonClass = (variant: ButtonVariant = 'secondary', size: ButtonSize = 'medium'): string =>
  classes(styles.button, styles[variant], styles[size])

/** Returns the classes that make a link with only an icon look like an IconButton. */
export const iconButtonClass = (size: ButtonSize = 'medium'): string =>
  classes(buttonClass('ghost', size), styles.square)

const blocked = (event: MouseEvent) => {
  event.preventDefault()
  event.stopPropagation()
}

/** A button with a label. Use `primary` once per screen, and `danger` only for actions that cannot be undone. */
export const Button = (props: ButtonProps) => {
  const { variant, size, busy = false, disabledReason, icon, className, onClick, children, ...rest } = props
  const off = busy || disabledReason !== undefined
  const button = (tipId?: string) => (
    <button
      type="button"
      {...rest}
      className={classes(buttonClass(variant, size), className)}
      onClick={off ? blocked : onClick}
      aria-busy={busy || undefined}
      aria-disabled={off || undefined}
      aria-describedby={classes(tipId, rest['aria-describedby']) || undefined}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
  return disabledReason === undefined ? button() : <Tooltip text={disabledReason}>{button}</Tooltip>
}

/** A square button with only an icon; its name is shown on hover and focus. */
export const IconButton = (props: IconButtonProps) => {
  const {
    label,
    variant = 'ghost',
    size,
    busy = false,
    disabledReason,
    icon,
    className,
    onClick,
    children,
    ...rest
  } = props
  const off = busy || disabledReason !== undefined
  return (
    <Tooltip text={disabledReason ?? label}>
      {(tipId) => (
        <button
          type="button"
          {...rest}
          className={classes(buttonClass(variant, size), styles.square, className)}
          onClick={off ? blocked : onClick}
          aria-label={label}
          aria-busy={busy || undefined}
          aria-disabled={off || undefined}
          aria-describedby={disabledReason === undefined ? rest['aria-describedby'] : tipId}
        >
          {busy ? <Spinner /> : (icon ?? children)}
        </button>
      )}
    </Tooltip>
  )
}
