import { stored } from '../session/storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const readTheme = (): Theme => themes.find((theme) => theme === stored.theme.read()) ?? 'system'

/** Sets the colours of the whole page; 'system' leaves them to the browser. */
export const applyTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export const chooseTheme = (theme: Theme): void => {
  stored.theme.write(theme)
  applyTheme(theme)
}
