import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { positionPopover } from './position-popover.ts'
import styles from './tooltip.module.css'

export interface TooltipProps {
  /** Plain text that can be selected. Tooltips contain no controls. */
  text: ReactNode
  /** Sets the place of the tooltip: below the control, unless there is no room, or at its right. */
  align?: 'center' | 'beside'
  /** Receives the id for `aria-describedby` of the described control. */
  children: (tipId: string) => ReactNode
}

const closeDelay = 100

/** A tap on these elements activates them and does not show the tooltip. */
const acting = 'a[href], button:not([aria-disabled="true"]), [role="button"]'

/**
 * A text that is shown on hover, focus, or tap of a control, above everything else. Esc, scrolling, and a tap elsewhere
 * close it. A tap that opens or closes it does not reach the elements around it, such as a row.
 */
export const Tooltip = ({ text, align = 'center', children }: TooltipProps) => {
  const id = useId()
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLSpanElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const tapped = useRef(false)

  useEffect(() => {
    const tooltip = tip.current
    if (!open || !tooltip || !anchor.current) return undefined
    tooltip.showPopover()
    positionPopover(anchor.current.firstElementChild ?? anchor.current, tooltip, align)
    const close = () => setOpen(false)
    const closeFromElsewhere = ({ target }: Event) => {
      if (!(target instanceof Node && anchor.current?.contains(target))) close()
    }
    window.addEventListener('scroll', close, { capture: true, passive: true })
    document.addEventListener('pointerdown', closeFromElsewhere)
    return () => {
      window.removeEventListener('scroll', close, { capture: true })
      document.removeEventListener('pointerdown', closeFromElsewhere)
      if (tooltip.isConnected) tooltip.hidePopover()
    }
  }, [open, align])

  useEffect(() => () => clearTimeout(closing.current), [])

  const show = () => {
    clearTimeout(closing.current)
    setOpen(true)
  }
  const hide = () => setOpen(false)
  const isInTip = (target: EventTarget) => target instanceof Node && tip.current?.contains(target) === true
  const tap = ({ pointerType, target }: PointerEvent) => {
    tapped.current = pointerType === 'touch' && target instanceof Element && !isInTip(target) && !target.closest(acting)
    if (tapped.current) setOpen(!open)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it listens for the control inside
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={({ pointerType }) => {
        if (pointerType !== 'touch') show()
      }}
      onPointerLeave={({ pointerType, buttons }) => {
        // The pointer may move over the tooltip, so that the user can select its text (WCAG 1.4.13).
        if (pointerType !== 'touch' && buttons === 0) closing.current = setTimeout(hide, closeDelay)
      }}
      onPointerUp={tap}
      onClick={(event) => {
        if (tapped.current || isInTip(event.target)) event.stopPropagation()
        tapped.current = false
      }}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) show()
      }}
      onBlur={() => {
        // Pressing the text to select it takes the focus from the control.
        if (!tip.current?.matches(':hover')) hide()
      }}
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
