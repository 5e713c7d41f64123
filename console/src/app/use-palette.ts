import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, createElement, type ReactNode, useCallback, useLayoutEffect, useState } from 'react'
import { showErrorToast } from '../feedback/use-action.ts'
import { useProviders } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { isFreeKey } from '../ui/overlay/can-handle-shortcut.ts'
import { modalIsOpen } from '../ui/overlay/modal-stack.ts'
import { startTypedAhead, takeTypedAhead, typedAhead } from './keystroke-buffer.ts'
import { goTargets, goWithinMs } from './menu-targets.ts'

interface PieceProps {
  onClose: () => void
  onKeys: () => void
}

/** Components that load when they are first opened. */
const pieces = {
  palette: async (): Promise<ComponentType<PieceProps>> => (await import('./palette.tsx')).Palette,
  keys: async (): Promise<ComponentType<PieceProps>> => (await import('./shortcuts-dialog.tsx')).KeysDialog,
}

type Piece = keyof typeof pieces

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey

/**
 * Ctrl+K or Cmd+K opens the palette from anywhere, `?` opens the list of shortcuts, and `g` with a letter opens a
 * screen.
 */
const useKeys = (open: (piece: Piece) => Promise<void>): void => {
  const navigate = useNavigate()
  const { current } = useProviders()
  // A layout effect, so that shortcuts work as soon as the frame renders.
  useLayoutEffect(() => {
    let waitingSince = Number.NEGATIVE_INFINITY
    const go = (openByShortcut: string) => {
      const goes = goTargets(requiredSession().actor, current).find(({ key }) => key === openByShortcut)
      if (goes) void navigate(goes.target)
    }
    const listen = (event: KeyboardEvent) => {
      if (event.repeat || event.defaultPrevented) return
      const isWaiting = Date.now() - waitingSince <= goWithinMs
      waitingSince = Number.NEGATIVE_INFINITY
      if (isPaletteKey(event)) {
        // Browsers use this shortcut for their own search.
        event.preventDefault()
        return void open('palette')
      }
      if (!isFreeKey(event)) return
      const shortcut = event.shiftKey ? '' : event.key.toLowerCase()
      if (event.key === '?') void open('keys')
      else if (shortcut === 'g') waitingSince = Date.now()
      else if (isWaiting) go(shortcut)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [navigate, open, current])
}

/** Returns whether the palette and the list of shortcuts are open, and handles their keyboard shortcuts. */
export const usePalette = (): { open: () => void; content: ReactNode } => {
  const [Palette, setPalette] = useState<ComponentType<PieceProps>>()
  const open = useCallback(async (piece: Piece) => {
    if (piece === 'palette') {
      if (modalIsOpen() || typedAhead()?.isCancelled === false) return
      startTypedAhead()
    }
    try {
      const component = await pieces[piece]()
      if (modalIsOpen() || typedAhead()?.isCancelled) takeTypedAhead()
      else setPalette(() => component)
    } catch (error) {
      takeTypedAhead()
      showErrorToast(error)
    }
  }, [])
  useKeys(open)
  const props = { onClose: () => setPalette(undefined), onKeys: () => void open('keys') }
  return { open: () => void open('palette'), content: Palette && createElement(Palette, props) }
}
