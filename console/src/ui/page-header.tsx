import type { ReactElement, ReactNode } from 'react'
import styles from './page-header.module.css'

/** Where focus goes on navigation. */
export const pageTitleId = 'page-title'

export interface PageHeaderProps {
  /** The router's link to what lies above the page. */
  breadcrumb?: ReactElement | false
  title: string
  /** A state or the like beside the title. */
  badge?: ReactNode
  /** One line saying what the thing is for. */
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

/** Breadcrumb, `h1`, one line of what it is for, and the page's main act. */
export const PageHeader = ({ breadcrumb, title, badge, description, actions }: PageHeaderProps) => {
  return (
    <header className={styles.header}>
      {breadcrumb ? <Breadcrumb>{breadcrumb}</Breadcrumb> : null}
      <div className={styles.line}>
        <div className={styles.words}>
          <div className={styles.titleLine}>
            <h1 id={pageTitleId} tabIndex={-1} className={styles.title}>
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
