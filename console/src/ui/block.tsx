import { type ReactNode, useId } from 'react'
import styles from './block.module.css'

interface BlockProps {
  title: string
  /** A short text or a link at the right of the title. */
  aside?: ReactNode
  children: ReactNode
}

/** A titled part of a page that is not a form. */
export const Block = ({ title, aside, children }: BlockProps) => {
  const id = useId()
  return (
    <section className={styles['block']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <span className={styles['aside']}>{aside}</span>}
      </div>
      {children}
    </section>
  )
}
