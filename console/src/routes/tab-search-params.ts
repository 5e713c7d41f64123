import { type Given, omitUndefined, textIn } from './list-search-params.ts'

/** What the address of a screen with tabs may say: the tab that shows, where it is not the first. */
export interface TabSearch {
  tab?: string | undefined
}

/** The search of a screen with tabs. */
export const tabSearch = (given: Given): TabSearch => omitUndefined({ tab: textIn(given, 'tab') })
