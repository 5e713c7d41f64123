import type { ReactNode } from 'react'
import type { PeriodSearch } from '../routes/call-quality.ts'
import { conversationQuality } from '../routes/conversation-quality.ts'
import { conversationSearch } from '../routes/conversation-search.ts'
import type { Screen } from '../routes/define-screen.ts'
import { reviews } from '../routes/reviews.ts'
import { ScreenLink } from '../screen/links.tsx'
import { usePageTitle } from '../screen/page-title.ts'
import { classes } from '../ui/classes.ts'
import { PageHeader } from '../ui/page-header.tsx'
import styles from '../ui/tabs.module.css'

interface ConversationsHeaderProps {
  screen: Screen
  /** The search parameters of the page. The tabs have the account and the period in common. */
  search: PeriodSearch
  description: string
  actions?: ReactNode
}

/** The header of the screens about conversations, which are the tabs of one page. */
export const ConversationsHeader = ({ screen, search, description, actions }: ConversationsHeaderProps) => {
  usePageTitle(screen.title)
  const { account, days } = search
  return (
    <>
      <PageHeader title="Conversations" description={description} actions={actions} />
      <nav aria-label="Conversations" className={classes(styles.list, styles.links)}>
        {[conversationQuality, conversationSearch, reviews].map((tab) => (
          <ScreenLink
            key={tab.path}
            to={tab}
            search={{ account, days }}
            aria-current={tab === screen ? 'page' : undefined}
            className={styles.tab}
          >
            {tab.menu?.tab}
          </ScreenLink>
        ))}
      </nav>
    </>
  )
}
