import { useSyncExternalStore } from 'react'

/*
 * An open modal dialog makes the rest of the document inert: toasts outside of it would be silent,
 * popups outside of it dead. So whatever floats over everything moves into the topmost dialog.
 */
let open: readonly HTMLDialogElement[] = []
const listeners = new Set<() => void>()

/**
 * While a dialog is open the page does not scroll, and its bar goes: a backdrop does not cover it. The page keeps the
 * width of the bar free (styles/base.css), and so nothing moves.
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

/** Notes that a dialog now lies over the page; the answer takes the note back. */
export const pushModal = (dialog: HTMLDialogElement): (() => void) => {
  change([...open, dialog])
  return () => change(open.filter((other) => other !== dialog))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const topModal = () => open.at(-1)

/** Whether a modal dialog lies over the page. */
export const modalIsOpen = (): boolean => open.length > 0

/** The topmost open dialog, the only part of the document that can be reached while there is one. */
export const useTopModal = (): HTMLDialogElement | undefined => useSyncExternalStore(subscribe, topModal)
