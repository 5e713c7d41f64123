import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { CallSearch } from '../../routes/recent-calls.ts'

interface NarrowedProps {
  search: CallSearch
  change: (to: CallSearch) => void
}

const periodText = ({ from, until }: CallSearch): string =>
  from === until ? `${from} (UTC)` : `${from ?? 'the beginning'} to ${until ?? 'now'} (UTC)`

/** Shows the filters that came from a link as buttons that remove them. */
export const Narrowed = ({ search, change }: NarrowedProps) => {
  const { from, until, trunk, status } = search
  const activeFilters: readonly (readonly [text: string, without: CallSearch])[] = [
    ...(from || until ? [[periodText(search), { from: undefined, until: undefined }] as const] : []),
    ...(trunk ? [[`Carrier: ${trunk}`, { trunk: undefined }] as const] : []),
    ...(status ? [[`Ended with ${status}`, { status: undefined }] as const] : []),
  ]
  return activeFilters.map(([text, without]) => (
    <Button
      key={text}
      size="small"
      icon={<X size={14} aria-hidden="true" />}
      aria-label={`${text}: remove this filter`}
      onClick={() => change(without)}
    >
      {text}
    </Button>
  ))
}
