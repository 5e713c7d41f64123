import { RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '../button.tsx'
import { classes } from '../classes.ts'
import styles from './list-bar.module.css'

/** Returns an age such as "12 s ago", rounded so that it does not change every second. */
export const agoText = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds - (seconds % 5)} s ago`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
}

const UpdatedAgo = ({ at }: { at: number }) => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className={styles.age} title="Time since the last refresh">
      {agoText(Math.max(now, at) - at)}
    </span>
  )
}

export interface ListBarProps {
  /** The count of rows. Undefined until it is known. */
  count: string | undefined
  /** The time of the last response in milliseconds since the epoch, or 0 before the first one. */
  updatedAt: number
  isRefreshing: boolean
  onRefresh: () => void
  /** A button that shows rows which have arrived since. It replaces the age, so that the rows below do not move. */
  news?: ReactNode
  /** Further buttons for the list. */
  children?: ReactNode
}

/** The end of the filter bar of a list: the number of rows, their age, and the refresh button. */
export const ListBar = ({ count, updatedAt, isRefreshing, onRefresh, news, children }: ListBarProps) => (
  <div className={styles.bar}>
    <output className={styles.count}>{count}</output>
    <div role="status" className={styles.news}>
      {news}
    </div>
    {updatedAt > 0 && !news && <UpdatedAgo at={updatedAt} />}
    <IconButton
      label="Refresh"
      onClick={onRefresh}
      icon={<RefreshCw aria-hidden="true" className={classes(isRefreshing && styles.turning)} />}
    />
    {children}
  </div>
)
