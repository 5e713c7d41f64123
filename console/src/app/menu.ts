import type { Actor } from '@patchbay/contract/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { canOpen, type Screen } from '../routes/define-screen.ts'

/** Returns the link of a screen's menu entry for a user and a provider, or undefined if the user has no such entry. */
export const menuTarget = (screen: Screen, actor: Actor, provider?: ServiceProvider) => {
  const { menu, path } = screen
  if (menu === undefined || !canOpen(screen, actor)) return undefined
  const params = menu.params ? menu.params(actor, provider) : {}
  return params && { to: path, params }
}
