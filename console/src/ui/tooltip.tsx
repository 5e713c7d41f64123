import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { placeNear } from './place.ts'
import styles from './tooltip.module.css'

export interface TooltipProps {
  /** What the tip says. Plain text or a few lines of it, nothing to press. */
  text: ReactNode
  /** Gets the id to put into `aria-describedby` of the control that is described. */
  children: (tipId: string) => ReactNode
}

const closeDelay = 100

/** Text shown on hover and on focus of one control, over everything else, closed with Esc. */
export const Tooltip = ({ text, children }: TooltipProps) => {
  const id = useId()
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLSpanElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    const shown = tip.current
    if (!open || !shown || !anchor.current) return undefined
    shown.showPopover()
    placeNear(anchor.current.firstElementChild ?? anchor.current, shown, 'center')
    const close = () => setOpen(false)
    window.addEventListener('scroll', close, { capture: true, passive: true })
    return () => {
      window.removeEventListener('scroll', close, { capture: true })
      if (shown.isConnected) shown.hidePopover()
    }
  }, [open])

  useEffect(() => () => clearTimeout(closing.current), [])

  const show = () => {
    clearTimeout(closing.current)
    setOpen(true)
  }
  const hide = () => setOpen(false)

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it listens for the control inside
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={show}
      onPointerLeave={() => {
        // The pointer may cross the gap to the tip itself, which must stay readable.
        closing.current = setTimeout(hide, closeDelay)
      }}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) show()
      }}
      onBlur={hide}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.preventDefault()
        event.stopPropagation()
        hide()
      }}
    >
      {children(id)}
      <span ref={tip} id={id} role="tooltip" popover="manual" className={styles.tip}>
        {text}
      </span>
    </span>
  )
}
