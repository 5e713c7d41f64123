import { Check, Copy } from 'lucide-react'
import { createContext, useContext, useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

/** What is said after copying; the app gives its toasts. `shown` is the text, masked where it is a secret. */
export interface CopyReport {
  copied: (shown: string) => void
  failed: (shown: string) => void
}

export const CopyReports = createContext<CopyReport>({ copied: () => {}, failed: () => {} })

export const useCopyReport = (): CopyReport => useContext(CopyReports)

/** Whether the browser has a clipboard to give: on pages that are not served securely it has none (B.6). */
export const canCopy = (): boolean => 'clipboard' in navigator

export interface CopyButtonProps {
  value: string
  label: string
  /** What to say of a secret instead of itself. */
  shown?: string
  /** In place of what the app says after every copy. */
  onCopied?: () => void
  onFailed?: () => void
}

const doneMilliseconds = 1500

/** Copies a text. Not there where the browser has no clipboard to give. */
export const CopyButton = ({ value, label, shown = value, onCopied, onFailed }: CopyButtonProps) => {
  const report = useCopyReport()
  const [done, setDone] = useState(false)

  useEffect(() => {
    if (!done) return undefined
    const timer = setTimeout(() => setDone(false), doneMilliseconds)
    return () => clearTimeout(timer)
  }, [done])

  const copied = onCopied ?? (() => report.copied(shown))
  const failed = onFailed ?? (() => report.failed(shown))
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
    } catch {
      return failed()
    }
    setDone(true)
    copied()
  }

  if (!canCopy()) return null
  const Icon = done ? Check : Copy
  return <IconButton label={label} size="small" icon={<Icon aria-hidden="true" />} onClick={() => void copy()} />
}
