import { Check, Copy } from 'lucide-react'
import { createContext, useContext, useEffect, useState } from 'react'
import { ReadingButton } from './button.tsx'
import type { InRow } from './row-stops.ts'

/** What is said after copying; the app gives its toasts. `shown` is the text, masked where it is a secret. */
export interface CopyReport {
  copied: (shown: string) => void
  failed: (shown: string) => void
}

export const CopyReports = createContext<CopyReport>({ copied: () => {}, failed: () => {} })

export const useCopyReport = (): CopyReport => useContext(CopyReports)

/** Whether the browser has a clipboard to give: on pages that are not served securely it has none (B.6). */
export const canCopy = (): boolean => 'clipboard' in navigator

export interface CopyButtonProps extends InRow {
  value: string
  label: string
  /** What to say of a secret instead of itself. */
  shown?: string
  /** In place of what the app says after every copy. */
  onCopied?: () => void
  onFailed?: () => void
}

const doneMilliseconds = 1500

/** Copies a text, in a form that cannot be changed, too. Not there where the browser has no clipboard to give. */
export const CopyButton = ({ value, label, shown = value, inRow, onCopied, onFailed }: CopyButtonProps) => {
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
  return <ReadingButton label={label} icon={<Icon aria-hidden="true" />} inRow={inRow} onPress={() => void copy()} />
}
