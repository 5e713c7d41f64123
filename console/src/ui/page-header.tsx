import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from 'react'
import styles from './page-header.module.css'

/** The element that receives the focus after a navigation. */
export const pageTitleId = 'page-title'

export interface PageHeaderProps {
  /** The router's link to what lies above the page. */
  breadcrumb?: ReactElement | false
  title: string
  /** A state or the like beside the title. */
  badge?: ReactNode
  /** A sentence about what the user can do on the page. */
  description?: ReactNode
  /** The page's main act, at the right. */
  actions?: ReactNode
}

const Breadcrumb = ({ children }: { children: ReactElement }) => (
  <nav aria-label="Breadcrumb">
    <ol className={styles.crumbs}>
      <li>{children}</li>
    </ol>
  </nav>
)

let isLeft = false

/** A title that is focused hands the focus on to the one that takes its place, as when a record has come. */
const useHandedFocus = () => {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const own = title.current
    if (isLeft) own?.focus({ preventScroll: true })
    return () => {
      isLeft = own === document.activeElement
      queueMicrotask(() => {
        isLeft = false
      })
    }
  }, [])
  return title
}

/** Breadcrumb, `h1`, one line of what it is for, and the page's main act. */
export const PageHeader = ({ breadcrumb, title, badge, description, actions }: PageHeaderProps) => {
  const ref = useHandedFocus()
  return (
    <header className={styles.header}>
      {breadcrumb ? <Breadcrumb>{breadcrumb}</Breadcrumb> : null}
      <div className={styles.line}>
        <div className={styles.words}>
          <div className={styles.titleLine}>
            <h1 ref={ref} id={pageTitleId} tabIndex={-1} className={styles.title}>
              {title}
            </h1>
            {badge}
          </div>
          {description === undefined ? null : <p className={styles.description}>{description}</p>}
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
    </header>
  )
}
