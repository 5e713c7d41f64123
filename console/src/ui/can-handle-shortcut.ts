import { modalIsOpen } from './modal-stack.ts'
import { preferences } from './preferences.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/**
 * Whether a key that is a character alone is free to do something: nobody types it into a field, no dialog lies over
 * the page, and the user has not turned such keys off, as who speaks instead of typing must be able to (WCAG 2.1.4).
 */
export const isFreeKey = (event: KeyboardEvent): boolean => {
  const { target, defaultPrevented, isComposing, ctrlKey, metaKey, altKey } = event
  if (defaultPrevented || isComposing || ctrlKey || metaKey || altKey) return false
  return preferences().letterKeys === 'on' && !isTyping(target) && !modalIsOpen()
}
