import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { toExtendedFilters } from './call-filters.ts'

const FiltersDialog = lazyDialog('call-filters', async () => (await import('./filters-dialog.tsx')).FiltersDialog)

interface NarrowedProps {
  search: CallSearch
  change: (to: CallSearch) => void
}

const periodText = ({ from, until }: CallSearch): string =>
  from === until ? `${from} (UTC)` : `${from ?? 'the beginning'} to ${until ?? 'now'} (UTC)`

/** Shows the filters that have no control in the list as buttons that remove them, and opens their dialog. */
export const Narrowed = ({ search, change }: NarrowedProps) => {
  const [isOpen, setOpen] = useState(false)
  const { from, until, trunk } = search
  const { sip_status, min_duration } = toExtendedFilters(search)
  const activeFilters: readonly (readonly [text: string, without: CallSearch])[] = [
    ...(from || until ? [[periodText(search), { from: undefined, until: undefined }] as const] : []),
    ...(trunk ? [[`Carrier: ${trunk}`, { trunk: undefined }] as const] : []),
    ...(sip_status ? [[`Ended with ${sip_status}`, { sip_status: undefined }] as const] : []),
    ...(min_duration
      ? [[`At least ${formatDurationLong(Number(min_duration))}`, { min_duration: undefined }] as const]
      : []),
  ]
  return (
    <>
      <Button onClick={() => setOpen(true)}>More filters</Button>
      {activeFilters.map(([text, without]) => (
        <Button
          key={text}
          size="small"
          icon={<X size={14} aria-hidden="true" />}
          aria-label={`${text}: remove this filter`}
          onClick={() => change(without)}
        >
          {text}
        </Button>
      ))}
      {isOpen && <FiltersDialog search={search} change={change} onClose={() => setOpen(false)} />}
    </>
  )
}
