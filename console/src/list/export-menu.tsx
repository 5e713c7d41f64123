import { Download } from 'lucide-react'
import { useLazyComponent } from '../lazy/use-lazy-component.ts'
import { IconButton } from '../ui/button.tsx'
import type { ExportMenuProps } from './export-choices.tsx'

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
