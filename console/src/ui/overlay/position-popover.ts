const gap = 4
const edge = 8

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high))

/**
 * Positions an open popover below its anchor, or above it if there is not enough space, within the window.
 * Sets positions through the CSSOM, which the content security policy allows. Some supported browsers lack CSS anchor
 * positioning.
 */
export const positionPopover = (anchor: Element, floating: HTMLElement, align: 'start' | 'center' | 'end'): void => {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const leftByAlignment = { start: at.left, center: at.left + (at.width - width) / 2, end: at.right - width }[align]
  const fitsBelow = at.bottom + gap + height + edge <= window.innerHeight
  const fitsAbove = at.top - gap - height - edge >= 0
  const top = fitsBelow || !fitsAbove ? at.bottom + gap : at.top - gap - height
  floating.style.setProperty(
    'left',
    `${clamp(leftByAlignment, edge, Math.max(edge, window.innerWidth - width - edge))}px`,
  )
  floating.style.setProperty('top', `${clamp(top, edge, Math.max(edge, window.innerHeight - height - edge))}px`)
}
