/** Buffers keystrokes for a component that is still loading. */

export interface TypedAhead {
  text: string
  /** True if the last key was Enter. */
  isEntered: boolean
  /** True if Esc canceled the opening of the component. */
  isCancelled: boolean
}

let typed: TypedAhead | undefined

const keep = (event: KeyboardEvent): void => {
  const { key, ctrlKey, metaKey, altKey, isComposing } = event
  const isCharacter = key.length === 1 && (event.getModifierState('AltGraph') || !(ctrlKey || metaKey || altKey))
  if (!typed || isComposing || !(isCharacter || ['Enter', 'Backspace', 'Escape'].includes(key))) return
  event.preventDefault()
  event.stopPropagation()
  if (isCharacter) typed.text += key
  if (key === 'Backspace') typed.text = typed.text.slice(0, -1)
  typed.isEntered = key === 'Enter'
  typed.isCancelled = key === 'Escape'
  if (typed.isCancelled) stop()
}

const stop = () => document.removeEventListener('keydown', keep, true)

export const typedAhead = (): TypedAhead | undefined => typed

export const startTypedAhead = (): void => {
  typed = { text: '', isEntered: false, isCancelled: false }
  document.addEventListener('keydown', keep, true)
}

/** Returns the buffered text and stops buffering. */
export const takeTypedAhead = (): TypedAhead | undefined => {
  const taken = typed
  typed = undefined
  stop()
  return taken
}
