/** Words for the actions of the console. */
const actionKeywords: Readonly<Record<string, string>> = {
  keys: 'hotkeys help',
  refresh: 'reload update',
  'sign-out': 'log out logout exit leave',
  'theme-dark': 'night mode appearance colors',
  'theme-light': 'day mode appearance colors',
  'theme-system': 'automatic mode appearance colors',
}

/** Words for screens by path, in the folders of their code. They load with the palette, not with the screens. */
const keywordsByModule = import.meta.glob<Readonly<Record<string, string>>>('../screens/*/palette-keywords.ts', {
  eager: true,
  import: 'paletteKeywords',
})

export const screenKeywords: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(keywordsByModule))

/**
 * Returns other words for a screen or an action, so that the command palette finds it by the name that another product
 * or the standards use. Returns an empty text if there are none.
 * @param id the path of the screen, or the id of the action
 */
export const getKeywords = (id: string): string => screenKeywords[id] ?? actionKeywords[id] ?? ''
