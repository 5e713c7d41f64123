import { preferences } from '../preferences.ts'
import { modalIsOpen } from './modal-stack.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/**
 * Returns whether a single-character shortcut can be handled: the user is not typing in a field, no dialog is open, and
 * such shortcuts are not turned off, as users of speech input must be able to do (WCAG 2.1.4).
 */
export const isFreeKey = (event: KeyboardEvent): boolean => {
  const { target, defaultPrevented, isComposing, ctrlKey, metaKey, altKey } = event
  if (defaultPrevented || isComposing || ctrlKey || metaKey || altKey) return false
  return preferences().letterKeys === 'on' && !isTyping(target) && !modalIsOpen()
}
