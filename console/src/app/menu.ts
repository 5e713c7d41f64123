import type { Actor } from '@patchbay/contract/access'
import { mayOpen, type Screen } from '../page/screen.ts'

/** Where the menu's entry of a screen leads somebody; undefined where it has none for them. */
export const menuTarget = (screen: Screen, actor: Actor) => {
  const { menu, path } = screen
  if (menu === undefined || !mayOpen(screen, actor)) return undefined
  const params = menu.params ? menu.params(actor) : {}
  return params && { to: path, params }
}
