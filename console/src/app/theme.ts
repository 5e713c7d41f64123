import { useSyncExternalStore } from 'react'
import { stored } from '../session/storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const readTheme = (): Theme => themes.find((theme) => theme === stored.theme.read()) ?? 'system'

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme)

/** Sets the colors of the page. With `system`, they follow the setting of the operating system. */
export const applyTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export const chooseTheme = (theme: Theme): void => {
  stored.theme.write(theme)
  applyTheme(theme)
  for (const listener of listeners) listener()
}
