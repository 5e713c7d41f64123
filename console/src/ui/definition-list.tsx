import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { CopyButton } from './copy-button.tsx'
import styles from './definition-list.module.css'

export interface DefinitionOptions {
  /** Uses a monospace font, for values that are read letter by letter: SIDs, addresses, and numbers. */
  mono?: boolean
  /** The text that the button beside the value copies. */
  copy?: string
}

export type DefinitionEntry = readonly [name: string, value: ReactNode, options?: DefinitionOptions]

export interface DefinitionListProps {
  entries: readonly DefinitionEntry[]
}

/** A list of names and values in as many columns as fit. */
export const DefinitionList = ({ entries }: DefinitionListProps) => (
  <dl className={styles.list}>
    {entries.map(([name, value, { mono = false, copy } = {}]) => (
      <div key={name} className={styles.entry}>
        <dt>{name}</dt>
        <dd className={classes(mono && 'mono')}>
          {value}
          {copy === undefined ? null : <CopyButton value={copy} label={`Copy ${name}`} />}
        </dd>
      </div>
    ))}
  </dl>
)
