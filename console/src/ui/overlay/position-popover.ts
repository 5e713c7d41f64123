const gap = 4
const edge = 8

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high))

/**
 * Positions an open popover below its anchor, or above it if there is not enough space, or beside it, within the window.
 * Sets positions through the CSSOM, which the content security policy allows. Some supported browsers lack CSS anchor
 * positioning.
 */
export const positionPopover = (
  anchor: Element,
  floating: HTMLElement,
  align: 'start' | 'center' | 'end' | 'beside',
): void => {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const leftByAlignment = {
    start: at.left,
    center: at.left + (at.width - width) / 2,
    end: at.right - width,
    beside: at.right + gap,
  }[align]
  const fitsBelow = at.bottom + gap + height + edge <= window.innerHeight
  const fitsAbove = at.top - gap - height - edge >= 0
  const below = fitsBelow || !fitsAbove ? at.bottom + gap : at.top - gap - height
  const top = align === 'beside' ? at.top + (at.height - height) / 2 : below
  floating.style.setProperty(
    'left',
    `${clamp(leftByAlignment, edge, Math.max(edge, window.innerWidth - width - edge))}px`,
  )
  floating.style.setProperty('top', `${clamp(top, edge, Math.max(edge, window.innerHeight - height - edge))}px`)
}
