import type { Actor } from '@patchbay/contract/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { screens } from '../routes/screens.ts'
import { menuTarget } from './menu.ts'

/** The time limit for the letter after `g`. */
export const goWithinMs = 1500

export const goTargets = (actor: Actor, provider: ServiceProvider | undefined) =>
  screens.flatMap((screen) => {
    const { shortcut, title, menu } = screen
    const target = menuTarget(screen, actor, provider)
    return shortcut && target ? [{ key: shortcut, label: menu?.label ?? title, target }] : []
  })
