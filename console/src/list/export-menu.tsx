import type { Contract } from '@patchbay/contract/contract'
import { Download } from 'lucide-react'
import type { Plain } from '../api/client.ts'
import { useLazyComponent } from '../lazy/use-lazy-component.ts'
import { IconButton } from '../ui/button.tsx'

type Reads = Extract<keyof Contract, `GET ${string}`>

export interface ExportMenuProps {
  /** The request that reads the displayed data. */
  endpoint: Reads
  input: Plain
  /** All displayed rows. */
  rows: () => readonly object[] | Promise<readonly object[]>
  /** The name of the file without its extension. Absent for a single record, which is not exported as a table. */
  table?: string
  /** Returns the CSV file that the server creates, if it can. */
  serverTable?: (() => Promise<Blob>) | undefined
}

/** Exports a list or a record. The menu loads when it is first opened, because few visits need it. */
export const ExportMenu = (props: ExportMenuProps) => {
  const { Part, isLoading, open } = useLazyComponent(async () => (await import('./export-choices.tsx')).ExportChoices)
  if (Part) return <Part {...props} />
  return (
    <IconButton label="Copy or download" size="small" busy={isLoading} aria-haspopup="menu" onClick={open}>
      <Download aria-hidden="true" />
    </IconButton>
  )
}
