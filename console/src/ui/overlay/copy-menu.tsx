import { Copy, Download } from 'lucide-react'
import { canCopy, useCopyText } from '../copy-button.tsx'
import { Menu, type MenuItem } from './menu.tsx'

export interface CopyMenuProps {
  /** The label of the button, such as "Export". */
  label?: string
  /** Functions that return the text of each format. The menu offers only the given formats. */
  curl?: () => string | Promise<string>
  javaScript?: () => string | Promise<string>
  json?: () => string | Promise<string>
  csv?: () => string | Promise<string | Blob>
  /** The file that the table is saved to, such as `recent-calls.csv`. */
  fileName?: string
  /** The menu is open from the beginning. */
  startsOpen?: boolean
  /** Called if a text cannot be created, for example because a request failed. */
  onFailed: (error: unknown) => void
}

const noClipboard = 'Browsers allow access to the clipboard only over HTTPS.'

/** Copies or downloads a list or a record as a curl command, JavaScript, JSON, or CSV. */
export const CopyMenu = (props: CopyMenuProps) => {
  const {
    label = 'Copy or download',
    curl,
    javaScript,
    json,
    csv,
    fileName = 'table.csv',
    startsOpen,
    onFailed,
  } = props
  const copy = useCopyText()
  const withText =
    <T extends string | Blob>(give: () => T | Promise<T>, use: (text: T) => void | Promise<void>) =>
    async () => {
      let text: T
      try {
        text = await give()
      } catch (error) {
        return onFailed(error)
      }
      await use(text)
    }
  const copyAs = (displayText: string) => (text: string) => copy(text, displayText)
  const disabledReason = canCopy() ? undefined : noClipboard
  const items: (MenuItem | undefined)[] = [
    curl && {
      label: 'Copy as cURL',
      icon: <Copy aria-hidden="true" />,
      disabledReason,
      onSelect: () => void withText(curl, copyAs('cURL command'))(),
    },
    javaScript && {
      label: 'Copy as JavaScript',
      icon: <Copy aria-hidden="true" />,
      disabledReason,
      onSelect: () => void withText(javaScript, copyAs('JavaScript'))(),
    },
    json && {
      label: 'Copy as JSON',
      icon: <Copy aria-hidden="true" />,
      disabledReason,
      onSelect: () => void withText(json, copyAs('JSON'))(),
    },
    csv && {
      label: 'Download CSV',
      icon: <Download aria-hidden="true" />,
      onSelect: () => void withText(csv, async (text) => (await import('../export.ts')).downloadCsv(fileName, text))(),
    },
  ]
  return (
    <Menu
      label={label}
      icon={<Download aria-hidden="true" />}
      items={items.filter((item) => item !== undefined)}
      {...(startsOpen ? { startsOpen } : {})}
    />
  )
}
