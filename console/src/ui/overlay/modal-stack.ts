import { useSyncExternalStore } from 'react'

/*
 * An open modal dialog makes the rest of the document inert: screen readers would not announce toasts, and popups could
 * not be clicked. Therefore, toasts and popups are moved into the topmost dialog.
 */
let open: readonly HTMLDialogElement[] = []
const listeners = new Set<() => void>()

/**
 * While a dialog is open, the page does not scroll and its scrollbar is hidden, because the backdrop does not cover it.
 * The page reserves the width of the scrollbar (styles/base.css), so nothing moves.
 */
const lockScroll = (locked: boolean) => {
  const { documentElement: root } = document
  if (locked) root.style.setProperty('--scroll-bar', `${window.innerWidth - root.offsetWidth}px`)
  root.toggleAttribute('data-modal', locked)
}

const change = (next: readonly HTMLDialogElement[]) => {
  if (open.length === 0 || next.length === 0) lockScroll(next.length > 0)
  open = next
  for (const listener of listeners) listener()
}

/** Registers an open dialog. Returns a function that unregisters it. */
export const pushModal = (dialog: HTMLDialogElement): (() => void) => {
  change([...open, dialog])
  return () => change(open.filter((other) => other !== dialog))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const topModal = () => open.at(-1)

/** Returns whether a modal dialog is open. */
export const modalIsOpen = (): boolean => open.length > 0

/** Returns the topmost open dialog. While one is open, the user cannot reach the rest of the document. */
export const useTopModal = (): HTMLDialogElement | undefined => useSyncExternalStore(subscribe, topModal)
