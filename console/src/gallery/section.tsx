import type { ReactNode } from 'react'
import styles from './gallery.module.css'

/** A titled part of the gallery. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h2>{title}</h2>
    {children}
  </section>
)
