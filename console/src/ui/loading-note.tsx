import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import styles from './skeleton.module.css'

/** Most responses take less than a second. Who still waits after this time wants to know what is going on. */
const slowAfterMs = 8000

interface LoadingProps {
  /** Sends the requests without a response again. */
  onRetry?: (() => void) | undefined
}

const Loading = ({ onRetry }: LoadingProps) => {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (isSlow) return undefined
    const timer = setTimeout(() => setSlow(true), slowAfterMs)
    return () => clearTimeout(timer)
  }, [isSlow])
  if (!isSlow) return <span className="visually-hidden">Loading…</span>
  const retry = () => {
    setSlow(false)
    onRetry?.()
  }
  return (
    <span className={styles.slow}>
      Still loading
      {onRetry && (
        <Button size="small" onClick={retry}>
          Retry
        </Button>
      )}
    </span>
  )
}

export interface LoadingNoteProps extends LoadingProps {
  /** Defaults to true. The element stays, so that assistive technology announces its changes. */
  isLoading?: boolean
}

/** Says to assistive technology that something loads, and after eight seconds to everybody, with a button to retry. */
export const LoadingNote = ({ isLoading = true, onRetry }: LoadingNoteProps) => (
  <output>{isLoading && <Loading onRetry={onRetry} />}</output>
)
