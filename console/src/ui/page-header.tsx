import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from 'react'
import styles from './page-header.module.css'

/** The element that receives the focus after a navigation. */
export const pageTitleId = 'page-title'

export interface PageHeaderProps {
  /** A link to the parent page. */
  breadcrumb?: ReactElement | false
  title: string
  /** Starts the heading: what the page does with the record that the title names. */
  prefix?: string | undefined
  /** An element beside the title, such as a status. */
  badge?: ReactNode
  /** A sentence about what the user can do on the page. */
  description?: ReactNode
  /** Facts about the record, in one line if there is room. */
  meta?: ReactNode
  /** The main action of the page, at the right. */
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

/** If a focused title is replaced, for example when the record has loaded, the new title receives the focus. */
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

/** The breadcrumb, title, description, facts, and main action of a page. */
export const PageHeader = ({ breadcrumb, title, prefix, badge, description, meta, actions }: PageHeaderProps) => {
  const ref = useHandedFocus()
  return (
    <header className={styles.header}>
      {breadcrumb ? <Breadcrumb>{breadcrumb}</Breadcrumb> : null}
      <div className={styles.line}>
        <h1 ref={ref} id={pageTitleId} tabIndex={-1} className={styles.title}>
          {prefix && <span className={styles.prefix}>{prefix}: </span>}
          {title}
        </h1>
        {badge && <div className={styles.badge}>{badge}</div>}
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
      {description === undefined ? null : <p className={styles.description}>{description}</p>}
      {meta && <div className={styles.meta}>{meta}</div>}
    </header>
  )
}
