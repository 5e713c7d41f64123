import type { ReactNode } from 'react'
import { savesData } from '../lazy/prefetch-when-idle.ts'
import type { Screen } from '../routes/define-screen.ts'
import { lazyExtra } from '../ui/lazy-extra.tsx'
import { Mark } from '../ui/logo.tsx'
import { usePageTitle } from './page-title.ts'
import styles from './public-page.module.css'

/** All pages load this module, so the picture is not part of it. */
const CallFigure = lazyExtra(async () => (await import('./call-figure.tsx')).CallFigure)

/** Returns whether the picture is worth its download: the style sheet shows it from this width on. */
const showsPicture = (): boolean => !savesData() && window.matchMedia('(width >= 1000px)').matches

/** The layout of a page for visitors who are not signed in: a form, beside the picture of a call if there is room. */
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
      <div className={styles['content']}>
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
      <div className={styles['figure']}>{showsPicture() && <CallFigure />}</div>
    </main>
  )
}
