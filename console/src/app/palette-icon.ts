import { File } from 'lucide-react'
import type { MenuEntry, Screen } from '../routes/define-screen.ts'

/** Chooses icons of the command palette. The menu, which is part of the first script, does not need this module. */

/** The icon of a screen that is in no group of the menu. */
export const iconOfOthers: MenuEntry['icon'] = File

/** Returns the icon of a screen in the command palette: that of its menu entry, or of the screen above it. */
export const findPaletteIcon = ({ menu, parent }: Screen): MenuEntry['icon'] =>
  menu?.icon ?? (parent ? findPaletteIcon(parent) : iconOfOthers)
