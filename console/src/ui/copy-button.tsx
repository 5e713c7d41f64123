import { Check, Copy } from 'lucide-react'
import { createContext, useContext, useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

/** Reports the result of copying. The app shows toasts. The parameter is the text, masked if it is a secret. */
export interface CopyReport {
  copied: (text: string) => void
  failed: (text: string) => void
}

export const CopyReports = createContext<CopyReport>({ copied: () => {}, failed: () => {} })

export const useCopyReport = (): CopyReport => useContext(CopyReports)

/** Returns whether the browser has a clipboard. Pages without HTTPS have none (B.6). */
export const canCopy = (): boolean => 'clipboard' in navigator

/** Copies a text, and returns whether the browser allowed that. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Returns a function that copies a text, and reports the outcome. The displayed text of a secret is its mask. */
export const useCopyText = () => {
  const report = useCopyReport()
  return async (text: string, displayText: string) => report[(await copyText(text)) ? 'copied' : 'failed'](displayText)
}

export interface CopyButtonProps {
  value: string
  label: string
  /** The text for messages if the value is a secret. */
  displayText?: string
  /** Called instead of the handler that shows a toast. */
  onCopied?: () => void
  onFailed?: () => void
}

const doneMilliseconds = 1500

/** Copies a text. Not rendered if the browser has no clipboard. */
export const CopyButton = ({ value, label, displayText = value, onCopied, onFailed }: CopyButtonProps) => {
  const report = useCopyReport()
  const [done, setDone] = useState(false)

  useEffect(() => {
    if (!done) return undefined
    const timer = setTimeout(() => setDone(false), doneMilliseconds)
    return () => clearTimeout(timer)
  }, [done])

  const copied = onCopied ?? (() => report.copied(displayText))
  const failed = onFailed ?? (() => report.failed(displayText))
  const copy = async () => {
    if (!(await copyText(value))) return failed()
    setDone(true)
    copied()
  }

  if (!canCopy()) return null
  const Icon = done ? Check : Copy
  return <IconButton label={label} size="small" icon={<Icon aria-hidden="true" />} onClick={() => void copy()} />
}
