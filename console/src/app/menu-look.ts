import { useState } from 'react'
import { stored } from '../session/storage.ts'

/**
 * Returns whether the menu shows only icons by choice, and a function that changes it. In narrow windows it does so
 * anyway. The style sheets read the choice from the root element, where skeleton/theme.js sets it at first.
 */
export const useMenuLook = () => {
  const [isIcons, setIcons] = useState(() => stored.menuLook.read() === 'icons')
  const toggle = () => {
    const look = isIcons ? 'names' : 'icons'
    stored.menuLook.write(look)
    document.documentElement.dataset['menu'] = look
    setIcons(!isIcons)
  }
  return { isIcons, toggle }
}
