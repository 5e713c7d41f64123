import type { Screen } from '../../routes/define-screen.ts'
import { omitUndefined } from '../../routes/list-search-params.ts'
import { type OneCallSearch, oneCall, recentCalls } from '../../routes/recent-calls.ts'
import { useScreenSearch, useSetSearch } from '../../screen/links.tsx'

export const callTabs = ['conversation', 'details', 'tracing', 'logs', 'sip'] as const
export type CallTab = (typeof callTabs)[number]

/**
 * Reads the selected tab of a call from the URL, so that links and the Back button reproduce it. What the tab shows can
 * follow after a colon: the ID of a span, or the beginning of a turn in milliseconds.
 * @param first the tab that is selected without a choice
 */
export const useCallTab = (isOwnPage: boolean, leg: number, first: CallTab) => {
  const screen: Pick<Screen<string, OneCallSearch>, 'search'> = isOwnPage ? oneCall : recentCalls
  const search = useScreenSearch(screen)
  const setSearch = useSetSearch(screen)
  const isOwnLeg = (search.leg ?? 1) === leg
  const [tabName, target] = isOwnLeg ? (search.tab ?? '').split(':') : []
  const tab = callTabs.find((name) => name === tabName) ?? first
  const select = (name: CallTab, nextTarget?: string) => {
    const nextTab = nextTarget === undefined ? name : `${name}:${nextTarget}`
    const next = { ...search, tab: nextTab === first ? undefined : nextTab, leg: leg > 1 ? leg : undefined }
    void setSearch(omitUndefined<OneCallSearch>(next), { resetScroll: false })
  }
  return { tab, target, select }
}
