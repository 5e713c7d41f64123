import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { CallSearch } from '../../routes/recent-calls.ts'

interface NarrowedProps {
  search: CallSearch
  change: (to: CallSearch) => void
}

const periodText = ({ from, until }: CallSearch): string =>
  from === until ? `${from} (UTC)` : `${from ?? 'the beginning'} to ${until ?? 'now'} (UTC)`

/** What a link to certain calls has said of them, each with a way to be rid of it. */
export const Narrowed = ({ search, change }: NarrowedProps) => {
  const { from, until, trunk, status } = search
  const told: readonly (readonly [text: string, without: CallSearch])[] = [
    ...(from || until ? [[periodText(search), { from: undefined, until: undefined }] as const] : []),
    ...(trunk ? [[`Carrier: ${trunk}`, { trunk: undefined }] as const] : []),
    ...(status ? [[`Ended with ${status}`, { status: undefined }] as const] : []),
  ]
  return told.map(([text, without]) => (
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
