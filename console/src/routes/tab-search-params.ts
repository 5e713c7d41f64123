import { type Given, omitUndefined, textIn } from './list-search-params.ts'

/** The URL parameter of a screen with tabs: the selected tab, unless it is the first. */
export interface TabSearch {
  tab?: string | undefined
}

/** Parses the search parameter of a screen with tabs. */
export const tabSearch = (params: Given): TabSearch => omitUndefined({ tab: textIn(params, 'tab') })
