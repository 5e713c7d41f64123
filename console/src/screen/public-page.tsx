import type { ReactNode } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import { Mark } from '../ui/logo.tsx'
import { usePageTitle } from './page-title.ts'
import styles from './public-page.module.css'

/** The layout of a page for visitors who are not signed in: a single card. */
export const PublicPage = ({
  screen: { title },
  description,
  children,
}: {
  screen: Screen
  description: string
  children: ReactNode
}) => {
  usePageTitle(title)
  return (
    <main className={styles['page']} id="main">
      <div className={styles['card']}>
        <div className={styles['brand']}>
          <Mark />
          Patchbay
        </div>
        <h1 id="page-title" tabIndex={-1}>
          {title}
        </h1>
        <p className={styles['description']}>{description}</p>
        {children}
      </div>
    </main>
  )
}
