import { CircleX, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './banner.module.css'
import { classes } from './classes.ts'
import { RequestId } from './request-id.tsx'

export type BannerTone = 'info' | 'warn' | 'bad'

export interface BannerProps {
  tone?: BannerTone
  title?: ReactNode
  children?: ReactNode
  action?: ReactNode
  /** The id of the failed request, for support. */
  requestId?: string | undefined
  /**
   * With `alert`, screen readers announce the banner when it appears. Leave it out for a banner that is always visible.
   */
  role?: 'alert' | 'status'
}

const icons = { info: Info, warn: TriangleAlert, bad: CircleX }

/** A message that stays visible on the page, unlike a toast. */
export const Banner = ({ tone = 'info', title, children, action, requestId, role }: BannerProps) => {
  const Icon = icons[tone]
  return (
    <div className={classes(styles.banner, styles[tone])} role={role}>
      <Icon className={styles.icon} size={16} aria-hidden="true" />
      <div className={styles.text}>
        {title === undefined ? null : <p className={styles.title}>{title}</p>}
        {children === undefined ? null : <div>{children}</div>}
        {requestId === undefined ? null : <RequestId id={requestId} />}
      </div>
      {action === undefined ? null : <div className={styles.action}>{action}</div>}
    </div>
  )
}
