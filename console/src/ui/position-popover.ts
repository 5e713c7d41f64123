const gap = 4
const edge = 8

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high))

/**
 * Puts a shown popover under its anchor, or above it where there is no room, inside the window.
 * Sets positions through the CSSOM, which the content security policy allows; CSS anchor positioning
 * is not yet in every browser we support.
 */
export const positionPopover = (anchor: Element, floating: HTMLElement, align: 'start' | 'center' | 'end'): void => {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const left = { start: at.left, center: at.left + (at.width - width) / 2, end: at.right - width }[align]
  const fitsBelow = at.bottom + gap + height + edge <= window.innerHeight
  const fitsAbove = at.top - gap - height - edge >= 0
  const top = fitsBelow || !fitsAbove ? at.bottom + gap : at.top - gap - height
  floating.style.setProperty('left', `${clamp(left, edge, Math.max(edge, window.innerWidth - width - edge))}px`)
  floating.style.setProperty('top', `${clamp(top, edge, Math.max(edge, window.innerHeight - height - edge))}px`)
}
