import { Fragment, type ReactNode, useState } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import type { TabSearch } from '../routes/tab-search-params.ts'
import { Tabs } from '../ui/tabs.tsx'
import { useScreenSearch, useSetSearch } from './links.tsx'

export interface ScreenTab {
  id: string
  label: string
  /** The form stays mounted while another tab is selected, so that its input is kept. */
  stays?: true
  content: ReactNode
}

interface ScreenTabsProps {
  screen: Screen<string, TabSearch>
  /** The name of the tab list, for assistive technology. */
  label: string
  /** The first tab is selected unless the URL names another one. A single tab is rendered without a tab list. */
  tabs: readonly [ScreenTab, ...ScreenTab[]]
}

/** The parts of a screen as tabs. The URL names the selected tab. */
export const ScreenTabs = ({ screen, label, tabs }: ScreenTabsProps) => {
  const { tab } = useScreenSearch(screen)
  const say = useSetSearch(screen)
  const [first] = tabs
  const selectedTab = (tabs.find(({ id }) => id === tab) ?? first).id
  const [opened, setOpened] = useState<readonly string[]>([])
  if (!opened.includes(selectedTab)) setOpened([...opened, selectedTab])
  const select = (id: string) => void say(id === first.id ? {} : { tab: id }, { replace: true, resetScroll: false })
  if (tabs.length === 1) return first.content
  return (
    <Tabs label={label} tabs={tabs} selected={selectedTab} onSelect={select}>
      {tabs.map(({ id, stays, content }) =>
        stays
          ? opened.includes(id) && (
              <div key={id} hidden={id !== selectedTab}>
                {content}
              </div>
            )
          : id === selectedTab && <Fragment key={id}>{content}</Fragment>,
      )}
    </Tabs>
  )
}
