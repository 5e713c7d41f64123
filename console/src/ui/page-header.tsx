import { ChevronRight } from 'lucide-react'
import { Fragment, isValidElement, type ReactElement, type ReactNode } from 'react'
import { KitLink } from './link-context.tsx'
import styles from './page-header.module.css'

/** Where focus goes on navigation. */
export const pageTitleId = 'page-title'

export interface Crumb {
  label: string
  to?: string
}

export interface PageHeaderProps {
  /** What lies above the page, from the top down; or the router's own link where there is only one. */
  breadcrumb?: readonly Crumb[] | ReactElement | false
  title: string
  /** A state or the like beside the title. */
  badge?: ReactNode
  /** One line saying what the thing is for. */
  description?: ReactNode
  /** The page's main act, at the right. */
  actions?: ReactNode
}

const crumbsOf = (breadcrumb: PageHeaderProps['breadcrumb']): readonly ReactNode[] => {
  if (!breadcrumb) return []
  if (isValidElement(breadcrumb)) return [breadcrumb]
  return breadcrumb.map(({ label, to }) =>
    to === undefined ? (
      <span key={label}>{label}</span>
    ) : (
      <KitLink key={label} to={to}>
        {label}
      </KitLink>
    ),
  )
}

const Breadcrumb = ({ crumbs }: { crumbs: readonly ReactNode[] }) => (
  <nav aria-label="Breadcrumb">
    <ol className={styles.crumbs}>
      {crumbs.map((crumb, depth) => (
        // oxlint-disable-next-line react/no-array-index-key -- the depth is what a crumb is known by
        <Fragment key={depth}>
          {depth === 0 ? null : (
            <li aria-hidden="true">
              <ChevronRight size={14} />
            </li>
          )}
          <li>{crumb}</li>
        </Fragment>
      ))}
    </ol>
  </nav>
)

/** Breadcrumb, `h1`, one line of what it is for, and the page's main act. */
export const PageHeader = ({ breadcrumb, title, badge, description, actions }: PageHeaderProps) => {
  const crumbs = crumbsOf(breadcrumb)
  return (
    <header className={styles.header}>
      {crumbs.length === 0 ? null : <Breadcrumb crumbs={crumbs} />}
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
