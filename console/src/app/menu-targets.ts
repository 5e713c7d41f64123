import type { Actor } from '@patchbay/contract/api/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { screens } from './pages.ts'

/** Returns the link of a screen's menu entry for a user and a provider, or undefined if the user has no such entry. */
export const menuTarget = (screen: Screen, actor: Actor, provider?: ServiceProvider) => {
  const { menu, path } = screen
  if (menu === undefined || !canOpen(screen, actor)) return undefined
  const params = menu.params ? menu.params(actor, provider) : {}
  return params && { to: path, params }
}

/** The time limit for the letter after `g`. */
export const goWithinMs = 1500

/** Returns the screens that `g` and a letter open, with that letter. */
export const goTargets = (actor: Actor, provider: ServiceProvider | undefined) =>
  screens.flatMap((screen) => {
    const { shortcut, title, menu } = screen
    const target = menuTarget(screen, actor, provider)
    return shortcut && target ? [{ key: shortcut, label: menu?.label ?? title, target }] : []
  })
