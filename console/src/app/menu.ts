import type { Actor } from '@patchbay/contract/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { canOpen, type Screen } from '../routes/define-screen.ts'

/** Where the menu's entry of a screen leads somebody, in a provider; undefined where it has none for them there. */
export const menuTarget = (screen: Screen, actor: Actor, provider?: ServiceProvider) => {
  const { menu, path } = screen
  if (menu === undefined || !canOpen(screen, actor)) return undefined
  const params = menu.params ? menu.params(actor, provider) : {}
  return params && { to: path, params }
}
