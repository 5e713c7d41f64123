import {
  defaultPageSize,
  type PagerItem,
  type PageSize,
  pageCount,
  pagerItems,
  pageSizes,
} from '@patchbay/contract/lists/paging'
import { ChevronDown, ChevronLeft, ChevronRight, Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import styles from './pager.module.css'

export interface PageStepsProps {
  /** The current page, from 1. */
  page: number
  pages: number
  items: readonly PagerItem[]
  onPage: (page: number) => void
}

export interface PageSizeSelectProps {
  value: number
  onChange: (size: PageSize) => void
}

export interface PagerProps {
  total: number
  /** The current page, from 1. */
  page: number
  size: number
  onPage: (page: number) => void
  onSize: (size: PageSize) => void
}

interface StepProps {
  label: string
  /** The button stays focusable on the first and last page, so that an extra press does not lose the focus. */
  off?: boolean
  onPress: () => void
  className?: string | undefined
  current?: boolean
  children: ReactNode
}

const Step = ({ label, off = false, onPress, className, current = false, children }: StepProps) => (
  <button
    type="button"
    className={classes(styles.step, className)}
    aria-label={label}
    aria-disabled={off || undefined}
    aria-current={current ? 'page' : undefined}
    onClick={off ? undefined : onPress}
  >
    {children}
  </button>
)

const Jump = ({ item, onPage }: { item: PagerItem & { kind: 'jump' }; onPage: (page: number) => void }) => (
  <Step
    label={`Jump ${item.direction === 'back' ? 'back' : 'forward'} to page ${item.to}`}
    onPress={() => onPage(item.to)}
  >
    <Ellipsis size={15} aria-hidden="true" />
  </Step>
)

/** Buttons for the previous page, single pages, and the next page. */
export const PageSteps = ({ page, pages, items, onPage }: PageStepsProps) => (
  <nav aria-label="Pagination">
    <ul className={styles.pager}>
      <li>
        <Step label="Previous page" off={page <= 1} onPress={() => onPage(page - 1)}>
          <ChevronLeft size={16} aria-hidden="true" />
        </Step>
      </li>
      {items.map((item) => (
        <li key={item.kind === 'page' ? item.page : item.direction}>
          {item.kind === 'page' ? (
            <Step
              label={`Page ${item.page}`}
              current={item.current}
              className={item.current ? styles.current : undefined}
              onPress={() => onPage(item.page)}
            >
              {item.page}
            </Step>
          ) : (
            <Jump item={item} onPage={onPage} />
          )}
        </li>
      ))}
      <li>
        <Step label="Next page" off={page >= pages} onPress={() => onPage(page + 1)}>
          <ChevronRight size={16} aria-hidden="true" />
        </Step>
      </li>
    </ul>
  </nav>
)

/** Selects the number of rows per page. */
export const PageSizeSelect = ({ value, onChange }: PageSizeSelectProps) => (
  <span className={styles.size}>
    <select
      aria-label="Page size"
      value={value}
      onChange={({ target }) => onChange(pageSizes.find((size) => String(size) === target.value) ?? defaultPageSize)}
    >
      {pageSizes.map((size) => (
        <option key={size} value={size}>{`${size} / page`}</option>
      ))}
    </select>
    <ChevronDown size={14} aria-hidden="true" />
  </span>
)

/** The total number of records. The specification fixes the wording with the plural in parentheses. */
export const TotalRecords = ({ total }: { total: number }) => (
  <p className={styles.total}>{`Total: ${total} record(s)`}</p>
)

/** The footer of a paged list: total, page buttons, and page size. */
export const Pager = ({ total, page, size, onPage, onSize }: PagerProps) => {
  const pages = pageCount(total, size)
  return (
    <div className={styles.foot}>
      <TotalRecords total={total} />
      {pages > 0 ? <PageSteps page={page} pages={pages} items={pagerItems(page, pages)} onPage={onPage} /> : null}
      <PageSizeSelect value={size} onChange={onSize} />
    </div>
  )
}
